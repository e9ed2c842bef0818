"""Scheduled job: the hourly reconciliation of social data."""

import logging

from celery import shared_task
from django.conf import settings

from apps.backoffice import reconcile_all
from apps.redis_kit import locks

log = logging.getLogger(__name__)


@shared_task(name="backoffice.reconcile_social")
def reconcile_social() -> int:
    """Repair likes, follows, feeds, check-ins and scores that differ from SQL's rows; returns the number.

    Logs each repair. Returns 0 as well while another process reconciles.
    """
    lease = settings.CELERY_TASK_TIME_LIMIT
    return locks.run_exclusively("backoffice.reconcile_social", _repair_drift, lease=lease) or 0


def _repair_drift() -> int:
    findings = list(reconcile_all.drift(fix=True))
    for finding in findings:
        log.warning("repaired: %s", finding)
    return len(findings)
