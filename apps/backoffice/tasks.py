import logging

from celery import shared_task

from apps.backoffice import reconcile_all

log = logging.getLogger(__name__)


@shared_task(name="backoffice.reconcile_social")
def reconcile_social() -> int:
    """Each hour: likes, follows, feeds, sign-ins and scores that differ from the rows, repaired and told."""
    found = list(reconcile_all.drift(fix=True))
    for one in found:
        log.warning("repaired: %s", one)
    return len(found)
