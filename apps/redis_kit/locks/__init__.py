"""Locks between processes.

The site itself uses `run_exclusively` (scheduled jobs, on `plain`, or on `redlock` with LOCK_REDIS_URLS),
`lock` (rebuilds of the search index) and the permits of `Lock` (`semaphores`). `fair`, `read`, `write` and
`multi` have no caller in the site's apps. They stay as a library, because locks as Redisson has them are a
feature of the product; `tests/redis_kit/locks` and `lab/bench/locks.py` alone run them. One way to use all:

    with locks.lock("order:7", lease=10, wait=3) as hold:
        hold.fence      # rises with every acquisition: let SQL refuse a smaller one
        hold.check()    # raises when the lease is over

    async with locks.fair("export"): …            @locks.lock("report")
                                                  def report(): …

A lock keeps two processes from doing the same work at the same time. It does not protect data by itself: a
holder that was frozen past its lease goes on writing. Where that must never happen, compare `fence`, or use a
constraint in SQL instead.
Sources: Redisson's documentation, redis-py's Lock, Redis in Action chapter 6.
"""

from apps.redis_kit.locks.exclusive import plain, run_exclusively
from apps.redis_kit.locks.holding import Hold
from apps.redis_kit.locks.lock import Lock
from apps.redis_kit.locks.multi import MultiLock, multi
from apps.redis_kit.locks.protocol import LockError, LockNotOwnedError, NotAcquired, UpgradeRefused
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
    "run_exclusively",
    "write",
]


def lock(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """A reentrant lock: the first to ask while it is free has it. `lease` and `wait` are in seconds."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence)


def fair(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """A reentrant lock that is given in the order of asking, by the server's clock."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence, fair=True)


def read(name: str, *, lease: float | None = None, wait: float | None = None) -> Lock:
    """The reading side of a read-write lock: shared by readers, after a writer that asked earlier."""
    return Lock(name, mode="r", lease=lease, wait=wait, fair=True)


def write(name: str, *, lease: float | None = None, wait: float | None = None, last_fence: int = 0) -> Lock:
    """The writing side: alone. A writer may also read; a reader that asks to write gets UpgradeRefused."""
    return Lock(name, lease=lease, wait=wait, last_fence=last_fence, fair=True)


def redlock(
    name: str, *servers: str, lease: float | None = None, wait: float = 0.0, last_fence: int = 0
) -> RedLock:
    """A lock over independent servers, named as in settings.REDIS_CONNECTIONS: an odd number, at least 3."""
    if len(servers) < 3:
        raise ValueError("a majority needs at least three servers")
    return RedLock(name, tuple(servers), lease=lease, wait=wait, last_fence=last_fence)
