"""The scheduled task of rankings."""

import logging

from celery import shared_task
from django.conf import settings

from apps.rankings import rankings
from apps.redis_kit import client, locks

log = logging.getLogger(__name__)


@shared_task(name="rankings.make")
def make() -> int:
    """Every hour: rank the shops of all cities; without Redis the next run does it."""
    try:
        lease = settings.CELERY_TASK_TIME_LIMIT
        return locks.run_exclusively("rankings.make", rankings.make, lease=lease) or 0
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the rankings wait: %s", error)
        return 0
