"""Scheduled tasks of visits."""

import logging

from celery import shared_task
from django.conf import settings

from apps.redis_kit import client, locks
from apps.uv import visits

log = logging.getLogger(__name__)


@shared_task(name="uv.snapshot")
def snapshot() -> int:
    """Every few minutes: copy counts into SQL; without Redis the next run catches up."""
    try:
        counted = locks.run_exclusively(
            "uv.snapshot", visits.write_counts, lease=settings.CELERY_TASK_TIME_LIMIT
        )
        return counted or 0
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the snapshot of visits waits: %s", error)
        return 0


@shared_task(name="uv.tidy")
def tidy() -> int:
    """Once a day: delete old rows of single objects."""
    return visits.delete_old_objects()
