"""Scheduled jobs that run in one process of the whole site at a time.

    locks.run_exclusively("uv.snapshot", snapshots.write_counts, lease=settings.CELERY_TASK_TIME_LIMIT)

Every machine may have a beat and workers. A tick whose job still runs elsewhere is skipped; the next one
comes. This saves work and protects no data: a job must bear being run twice.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from django.conf import settings

from apps.redis_kit.locks.errors import LockError
from apps.redis_kit.locks.plain import plain
from apps.redis_kit.locks.redlock import RedLock

Result = TypeVar("Result")

log = logging.getLogger(__name__)


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
