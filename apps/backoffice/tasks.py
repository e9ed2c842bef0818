"""Scheduled job: the hourly reconciliation of social data."""

import logging

from celery import shared_task

from apps.backoffice import reconcile_all

log = logging.getLogger(__name__)


@shared_task(name="backoffice.reconcile_social")
def reconcile_social() -> int:
    """Repair likes, follows, feeds, check-ins and scores that differ from SQL's rows.

    Log and count each repair.
    """
    findings = list(reconcile_all.drift(fix=True))
    for finding in findings:
        log.warning("repaired: %s", finding)
    return len(findings)
