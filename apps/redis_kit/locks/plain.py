"""The smallest lock that is right, to learn from: SET NX with an expiry, and compare-and-delete.

What it lacks, and `lock` has: an acquire whose answer is lost leaves it held by nobody until its lease
ends, waiters must ask again and again, a holder can't take it twice, and no token tells a late writer from
its heir.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.locks.errors import LockNotOwnedError, NotAcquired

#: Seconds between two questions of a waiter.
POLL_SECONDS = 0.05

RELEASE_PLAIN = scripts.Script("release_plain_lock", package="apps.redis_kit.locks", reply=bool)


@contextmanager
def plain(name: str, *, lease: float, wait: float = 0.0) -> Iterator[None]:
    """Hold it for `lease` seconds at most; NotAcquired after `wait`, LockNotOwnedError when it ran out."""
    key, mine, deadline = keys.PLAIN_LOCK(name=name), secrets.token_hex(16), time.monotonic() + wait
    while not client.get().set(key, mine, nx=True, px=round(lease * 1_000)):
        if time.monotonic() >= deadline:
            raise NotAcquired(f"{name} is held by somebody else", lock_name=name)
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        released = RELEASE_PLAIN(client.get(), keys=[key], args=[mine])
    if not released:
        raise LockNotOwnedError(f"{name} was no longer held", lock_name=name)
