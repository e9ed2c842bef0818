"""Scheduled tasks of visits."""

import logging

from celery import shared_task

from apps.redis_kit import client
from apps.uv import snapshots

log = logging.getLogger(__name__)


@shared_task(name="uv.snapshot")
def snapshot() -> int:
    """Every few minutes: copy counts into SQL; without Redis the next run catches up."""
    try:
        return snapshots.write_counts()
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the snapshot of visits waits: %s", error)
        return 0


@shared_task(name="uv.tidy")
def tidy() -> int:
    """Once a day: delete old rows of single objects."""
    return snapshots.delete_old_objects()
