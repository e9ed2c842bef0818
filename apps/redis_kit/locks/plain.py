"""The smallest correct lock: SET NX with an expiry, and compare-and-delete.

What it lacks and `lock` has: after an acquire whose reply was lost it stays held until its lease ends,
waiters must poll, a holder can't take it twice, and no token tells a late writer from its successor.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.locks.errors import LockNotOwnedError, NotAcquired

#: Seconds between two tries of a waiter.
POLL_SECONDS = 0.05

RELEASE_PLAIN = scripts.Script("release_plain_lock", package="apps.redis_kit.locks", reply=bool)


@contextmanager
def plain(name: str, *, lease: float, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of that name for at most `lease` seconds.

    NotAcquired when it is not free within `wait` seconds; LockNotOwnedError after the block when its lease
    ran out before.
    """
    key, token, deadline = keys.PLAIN_LOCK(name=name), secrets.token_hex(16), time.monotonic() + wait
    while not client.get().set(key, token, nx=True, px=round(lease * 1_000)):
        if time.monotonic() >= deadline:
            raise NotAcquired(f"{name} is held by another", lock_name=name)
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        released = RELEASE_PLAIN(client.get(), keys=[key], args=[token])
    if not released:
        raise LockNotOwnedError(f"{name} was no longer held", lock_name=name)
