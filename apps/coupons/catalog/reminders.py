"""Reminders of sales: people set them, a delayed job sends those of a sale, and a sweep those of lost jobs.

The transaction that posts a message also records in the reminder which beginning it announced. So a job
that runs twice, or beside the sweep, sends nothing twice, and a sale that is moved is announced again. A sale
moved away and back has a beginning that was announced before: the message's key prevents a second one.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.coupons import refusals
from apps.coupons.catalog import vouchers
from apps.coupons.models import FlashSale, Reminder
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues import delayed
from apps.redis_kit import client

LEAD_TIME = timedelta(minutes=5)
#: People are counted up to here: "more than 1,000" says as much.
MAX_COUNTED = 1_000

#: tasks.tell_of_sale by its name: it imports this.
TASK_NAME = "apps.coupons.tasks.tell_of_sale"
#: Reminders in one transaction.
MAX_BATCH = 500
log = logging.getLogger(__name__)


def add(voucher_id: int, user_id: int) -> FlashSale:
    """Set the person's reminder; a second call changes nothing. Problem 404, 409 begun or too_late."""
    sale = get_sale(voucher_id)
    now = timezone.now()
    if sale.begins_at <= now:
        raise refusals.SALE_HAS_BEGUN.problem()
    if not can_be_set(sale, now):
        raise refusals.REMINDER_TOO_LATE.problem()
    Reminder.objects.bulk_create([Reminder(sale=sale, user_id=user_id)], ignore_conflicts=True)
    return sale


def remove(voucher_id: int, user_id: int) -> FlashSale:
    """Remove the person's reminder, if there is one; Problem 404."""
    sale = get_sale(voucher_id)
    Reminder.objects.filter(sale=sale, user_id=user_id).delete()
    return sale


def get_sale(voucher_id: int) -> FlashSale:
    """The offered flash sale, else Http404 or Problem 404."""
    sale: FlashSale | None = getattr(vouchers.get_or_404(voucher_id), "sale", None)
    if sale is None:
        raise refusals.NOT_FOUND.problem()
    return sale


def can_be_set(sale: FlashSale, at: datetime) -> bool:
    """Whether a reminder can still be set: later the messages are on their way."""
    return is_early_enough((sale.begins_at - at).total_seconds())


def is_early_enough(seconds_ahead: float) -> bool:
    """Whether a reminder can be set so many seconds before the sale begins."""
    return seconds_ahead > LEAD_TIME.total_seconds()


def count_waiting(sale: FlashSale) -> int:
    """How many people want a reminder; MAX_COUNTED + 1 when they are more."""
    return Reminder.objects.filter(sale=sale)[: MAX_COUNTED + 1].count()


def find_wanted_sale_ids(user_id: int, sale_ids: Iterable[int]) -> set[int]:
    """The sales among `sale_ids` that the person wants a reminder of."""
    mine = Reminder.objects.filter(user_id=user_id, sale__in=list(sale_ids))
    return set(mine.values_list("sale_id", flat=True))


def is_wanted(voucher_id: int, user_id: int) -> bool:
    """Whether the person wants a reminder of the sale."""
    return bool(find_wanted_sale_ids(user_id, [voucher_id]))


def count_waiting_if_open(sale: FlashSale) -> int | None:
    """How many people want a reminder, as count_waiting; None when it is too late to set one."""
    return count_waiting(sale) if can_be_set(sale, timezone.now()) else None


def schedule(sale: FlashSale) -> None:
    """Schedule the reminders of a sale; replaces the job of an earlier beginning."""
    if sale.begins_at <= timezone.now():
        return
    try:
        at = sale.begins_at - LEAD_TIME
        delayed.schedule_many([delayed.Job(TASK_NAME, [sale.pk], at, f"sale:remind:{sale.pk}")])
    except client.UNAVAILABLE:
        log.warning("reminders of sale %s are left to the sweep: the broker is away", sale.pk)


def deliver_for_sale(sale_id: int) -> int:
    """Send the sale's reminders if it begins within minutes; returns how many there were."""
    delivered = 0
    while batch_size := _deliver_batch(sale_id):
        delivered += batch_size
    return delivered


def deliver_missed() -> int:
    """Send the reminders whose job was lost; returns how many there were."""
    untold = Reminder.objects.untold().filter(sale=OuterRef("pk"))
    return sum(
        deliver_for_sale(sale_id)
        for sale_id in _sales_about_to_begin().filter(Exists(untold)).values_list("pk", flat=True)
    )


def _deliver_batch(sale_id: int) -> int:
    with transaction.atomic():
        # Locked: its beginning can't be moved, nor another worker start, before these reminders are marked.
        sale = _sales_about_to_begin().select_for_update(of=("self",)).filter(pk=sale_id).first()
        if sale is None:
            return 0
        untold = Reminder.objects.untold().filter(sale=sale).select_related("user").order_by("pk")
        batch = list(untold[:MAX_BATCH])
        Reminder.objects.filter(pk__in=[reminder.pk for reminder in batch]).update(told_for=sale.begins_at)
        _post_messages(sale, [reminder for reminder in batch if reminder.user.is_active])
    return len(batch)


def _sales_about_to_begin() -> QuerySet[FlashSale]:
    now = timezone.now()
    offered = FlashSale.objects.filter(voucher__is_offered=True, voucher__shop__is_listed=True)
    near = offered.filter(begins_at__gt=now, begins_at__lte=now + LEAD_TIME)
    return near.select_related("voucher__shop")


def _post_messages(sale: FlashSale, batch: Sequence[Reminder]) -> None:
    sent_keys = outbox.existing_keys(_message_key(sale, reminder) for reminder in batch)
    new = [reminder for reminder in batch if _message_key(sale, reminder) not in sent_keys]
    notifications.notify(
        *(
            Notice(
                recipient_id=reminder.user_id,
                kind=Kind.SALE,
                target_kind="sale",
                target_id=sale.pk,
                sms=_build_message(sale, reminder),
            )
            for reminder in new
        )
    )


def _message_key(sale: FlashSale, reminder: Reminder) -> str:
    """One message for each person and beginning."""
    return f"sale:{sale.pk}:{sale.begins_at.timestamp():.6f}:{reminder.user_id}"


def _build_message(sale: FlashSale, reminder: Reminder) -> OutgoingMessage:
    with translation.override(reminder.user.message_language):
        values = {
            "title": sale.voucher.title,
            "shop": sale.voucher.shop.name,
            "time": f"{timezone.localtime(sale.begins_at):%H:%M}",
            "url": f"{settings.SITE_URL}{sale.voucher.get_absolute_url()}",
        }
        text = _("“%(title)s” at %(shop)s is on sale from %(time)s. First come, first served: %(url)s")
    # A late message is still of use: there may be stock left.
    until = sale.begins_at + LEAD_TIME
    return OutgoingMessage(
        channel=Channel.SMS,
        to=reminder.user.phone,
        text=text % values,
        key=_message_key(sale, reminder),
        until=until,
    )
