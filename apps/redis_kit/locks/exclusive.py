"""Scheduled jobs that run in one process of the whole site at a time.

    locks.run_exclusively("uv.snapshot", snapshots.write_counts, lease=settings.CELERY_TASK_TIME_LIMIT)

Every machine may have a beat and workers. A tick whose job still runs elsewhere is skipped; the next one
comes. This saves work and protects no data: a job must bear being run twice.

`plain` is the smallest correct lock: SET NX with an expiry, and compare-and-delete. What it lacks and `lock`
has: after an acquire whose reply was lost it stays held until its lease ends, waiters must poll, a holder
can't take it twice, and no token tells a late writer from its successor.
"""

import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from django.conf import settings

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.locks.protocol import LockError, LockNotOwnedError, NotAcquired
from apps.redis_kit.locks.redlock import RedLock

Result = TypeVar("Result")

log = logging.getLogger(__name__)

#: Seconds between two tries of a waiter.
POLL_SECONDS = 0.05
RELEASE_PLAIN = scripts.Script("release_plain_lock", package="apps.redis_kit.locks", reply=bool)


def run_exclusively(name: str, job: Callable[[], Result], *, lease: float) -> Result | None:
    """The result of `job()`, or None without a call while another process runs the job of that name.

    `lease` in seconds is how long a process that died keeps the others away: no shorter than a job may last.
    With settings.LOCK_SERVERS a majority of them decides, and the watchdog renews the lease while the job
    runs: a process that died keeps the others away for half a minute.
    Raises client.UNAVAILABLE, before the job, when Redis is away; a majority that is away skips the job.
    """
    lock_name, results = f"job:{name}", list[Result]()
    try:
        with _build_lock(lock_name, lease):
            results.append(job())
    except LockError as error:
        # The job's own locks are its own affair.
        if error.lock_name != lock_name:
            raise
        if results:
            log.warning("%s outlived its lease of %s s: another process may have run it too", name, lease)
        else:
            log.info("%s is skipped: another process runs it", name)
    return results[0] if results else None


def _build_lock(name: str, lease: float) -> AbstractContextManager[object]:
    if settings.LOCK_SERVERS:
        return RedLock(name, tuple(settings.LOCK_SERVERS), lease=None)
    return plain(name, lease=lease)


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
