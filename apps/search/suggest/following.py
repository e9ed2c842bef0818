"""Keeps the index of names in step with the rows: after each commit, and on a schedule."""

import logging
from collections.abc import Sequence

from celery import shared_task

from apps.queues import owed
from apps.redis_kit import client, locks
from apps.search.suggest import indexing, words

log = logging.getLogger(__name__)
#: Ids of one task's message.
MAX_IDS = 1_000
LOCK_SECONDS = 600


def record(kind: str, ids: Sequence[int]) -> None:
    """Have the names of changed things read again after the commit; a listener of web.findable.CHANGED."""
    owed.run_after_commit(enqueue, kind, list(ids))


@shared_task(name="search.update_names", ignore_result=True)
def update_names(kind: str, ids: list[int]) -> None:
    """Read these names again. While Redis is away the hourly task does it later."""
    try:
        indexing.update(kind, ids)
    except client.UNAVAILABLE as error:
        log.warning("%d names wait for the hourly run, Redis is away: %s", len(ids), error)


@shared_task(name="search.rebuild_names", ignore_result=True)
def rebuild_names(*, only_if_incomplete: bool = False) -> None:
    """Hourly: read all names and words again, for changed popularity and lost tasks."""
    work = _rebuild_missing if only_if_incomplete else _refresh_all
    try:
        locks.run_exclusively("search.names", work, lease=LOCK_SECONDS)
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the names wait: %s", error)


def _rebuild_missing() -> bool:
    words.rebuild_if_missing()
    return indexing.rebuild_if_incomplete()


def _refresh_all() -> int:
    words.rebuild(_ignore_progress)
    return indexing.refresh()


def _ignore_progress(_done: int, _total: int) -> None:
    """Takes the progress of a rebuild that is not shown anywhere."""


def enqueue(kind: str, ids: list[int]) -> None:
    """Have a worker read the names of these things again."""
    for start in range(0, len(ids), MAX_IDS):
        update_names.apply_async((kind, ids[start : start + MAX_IDS]), retry=False)
