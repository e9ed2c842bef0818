"""Locks between processes. One way to use them all:

    with locks.lock("order:7", lease=10, wait=3) as hold:
        hold.fence      # rises with every acquisition: let SQL refuse a smaller one
        hold.check()    # raises when the lease is over

    async with locks.fair("export"): …            @locks.lock("report")
                                                  def report(): …

A lock keeps two from doing the same work at the same time. It does not protect data by itself: a holder that
was frozen past its lease goes on writing. What must never be wrong compares `fence`, or needs no lock at all.
Sources: Redisson's documentation, redis-py's Lock, Redis in Action chapter 6.
"""

from apps.redis_kit.locks.errors import LockError, LockNotOwnedError, NotAcquired, UpgradeRefused
from apps.redis_kit.locks.hold import Hold
from apps.redis_kit.locks.lock import Lock
from apps.redis_kit.locks.multi import MultiLock, multi
from apps.redis_kit.locks.plain import plain
from apps.redis_kit.locks.redlock import RedLock

__all__ = [
    "Hold",
    "Lock",
    "LockError",
    "LockNotOwnedError",
    "MultiLock",
    "NotAcquired",
    "RedLock",
    "UpgradeRefused",
    "fair",
    "lock",
    "multi",
    "plain",
    "read",
    "redlock",
    "write",
]


def lock(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """Reentrant, quick to take: whoever comes while it is free has it."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence)


def fair(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """Reentrant, first come, first served by the server's clock."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence, fair=True)


def read(name: str, *, lease: float | None = None, wait: float | None = None) -> Lock:
    """Beside other readers; stands behind a writer who came first, so that writers are served."""
    return Lock(name, mode="r", lease=lease, wait=wait, fair=True)


def write(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """Alone. The writer may also read; a reader who asks to write is refused (UpgradeRefused)."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence, fair=True)


def redlock(name: str, *servers: str, lease: float, wait: float = 0.0, last_fence: int = 0) -> RedLock:
    """Over independent servers, named as in settings.REDIS_CONNECTIONS; an odd number, at least three."""
    if len(servers) < 3:
        raise ValueError("a majority needs at least three servers")
    return RedLock(name, tuple(servers), lease=lease, wait=wait, last_fence=last_fence)
