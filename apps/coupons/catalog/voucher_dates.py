"""The dates of vouchers: each is offered from its first day and withdrawn after its last.

SQL has the dates, and a voucher's readers ask only whether it is offered: so lists, search, API and claims
agree on the moment. A delayed job makes it prompt; the scheduled sweep finds what a lost job left.
"""

import logging

from django.db import transaction
from django.utils import timezone

from apps.coupons.catalog import sales
from apps.coupons.models import Voucher
from apps.queues import delayed
from apps.redis_kit import client
from apps.web import on_commit

#: tasks.apply_voucher_dates by its name: it imports this.
TASK_NAME = "apps.coupons.tasks.apply_voucher_dates"
#: Vouchers that one run offers or withdraws.
MAX_BATCH_VOUCHERS = 1_000
log = logging.getLogger(__name__)


def schedule_after_commit(voucher: Voucher) -> None:
    """Schedule, at the commit, a run at each date of the voucher that is ahead."""
    now = timezone.now()
    for name in ("publish_at", "valid_until"):
        at = getattr(voucher, name)
        if at and at > now:
            job = delayed.Job(TASK_NAME, [], at, f"voucher:{name}:{voucher.pk}", delayed.Priority.HIGH)
            on_commit.run_after_commit(_schedule, job)


def apply_due() -> int:
    """Offer the vouchers whose time has come and withdraw the expired; how many there were."""
    due = [
        (pk, True) for pk in Voucher.objects.to_publish().values_list("pk", flat=True)[:MAX_BATCH_VOUCHERS]
    ]
    over = Voucher.objects.to_withdraw().values_list("pk", flat=True)[:MAX_BATCH_VOUCHERS]
    return sum(_apply(pk, offered=offered) for pk, offered in [*due, *((pk, False) for pk in over)])


def _apply(voucher_id: int, *, offered: bool) -> bool:
    """Whether this run made the change: no other run did, and staff has not chosen otherwise since."""
    waiting = Voucher.objects.to_publish() if offered else Voucher.objects.to_withdraw()
    try:
        with transaction.atomic():
            # The sale before the voucher, as every edit locks them.
            sales.lock(voucher_id)
            voucher = waiting.select_for_update().filter(pk=voucher_id).first()
            if voucher is not None:
                (sales.offer_again if offered else sales.withdraw)(voucher)
    except client.UNAVAILABLE:
        log.warning("voucher %d waits for the next sweep: Redis is away", voucher_id)
        return False
    return voucher is not None


def _schedule(job: delayed.Job) -> None:
    try:
        delayed.schedule_many([job])
    except client.UNAVAILABLE:
        log.warning("%s is left to the sweep: the broker is away", job.key)
