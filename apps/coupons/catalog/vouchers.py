"""Vouchers: who may see one, saving, prices, and the dates from and until which each is offered.

SQL has the dates, and a voucher's readers ask only whether it is offered: so lists, search, API and claims
agree on the moment. A delayed job makes it prompt; the scheduled sweep finds what a lost job left.
"""

import logging
from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.pictures import files
from apps.coupons.catalog import findable_sales, sales
from apps.coupons.models import Voucher
from apps.queues import delayed
from apps.redis_kit import client
from apps.shops.models import Shop
from apps.web import on_commit

#: tasks.apply_voucher_dates by its name: it imports this.
TASK_NAME = "apps.coupons.tasks.apply_voucher_dates"
#: Vouchers that one run offers or withdraws.
MAX_BATCH_VOUCHERS = 1_000
log = logging.getLogger(__name__)


def check_prices(price: int, value: int) -> None:
    """Raise ValidationError for a price of nothing, which no bank takes, or one that saves nothing."""
    if price < 1:
        raise ValidationError({"price": _("Buyers must pay something: banks take no payment of nothing.")})
    if price >= value:
        raise ValidationError({"price": _("Buyers must pay less than the voucher is worth.")})


class TakenOff(Http404):
    """The voucher was on offer and is not any more; its shop is."""

    def __init__(self, shop: Shop) -> None:
        super().__init__()
        self.shop = shop


def get_or_404(voucher_id: int) -> Voucher:
    """The offered voucher with its shop and sale; raises Http404, and TakenOff for one that was offered."""
    rows = Voucher.objects.filter(shop__is_listed=True).select_related("shop", "shop__type", "sale")
    voucher = get_object_or_404(rows, pk=voucher_id)
    if voucher.is_offered:
        return voucher
    if voucher.publish_at and voucher.publish_at > timezone.now():
        raise Http404
    raise TakenOff(voucher.shop)


def save(voucher: Voucher, *, changed: Collection[str] = ()) -> None:
    """Insert a voucher, or update one of which these columns changed.

    Raises client.UNAVAILABLE, and changes nothing, when a flash sale is withdrawn and Redis is away.
    """
    is_new = voucher.pk is None
    with transaction.atomic():
        # How many one person may have is changed with a sale's terms: an earlier reading must not undo that.
        if not is_new and hasattr(voucher, "sale"):
            sales.lock(voucher.pk)
            voucher.refresh_from_db(fields=["per_person"])
        replaced = "" if is_new or "picture" not in changed else files.lock_stored(voucher)
        voucher.save()
        files.delete_after_commit(Voucher, replaced)
        findable_sales.announce_change(voucher)
        if not is_new and "valid_until" in changed:
            sales.extend_open_orders(voucher)
        schedule_after_commit(voucher)
        if not is_new and "is_offered" in changed:
            sales.apply_offer(voucher)


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
