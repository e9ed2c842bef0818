"""Scheduled tasks of shops."""

import logging

from celery import shared_task
from django.conf import settings

from apps.redis_kit import client, locks
from apps.shops.geo import rebuilding

log = logging.getLogger(__name__)


@shared_task(name="shops.complete_index")
def complete_index() -> None:
    """Rebuild the GEO index when it is missing or incomplete; without Redis the next run tries again."""
    try:
        lease = settings.CELERY_TASK_TIME_LIMIT
        if locks.run_exclusively("shops.complete_index", rebuilding.rebuild_if_incomplete, lease=lease):
            log.warning("the GEO index was missing or out of step: rebuilt")
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the GEO index waits: %s", error)
