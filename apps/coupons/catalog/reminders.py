"""Reminders: people ask for a message five minutes before a sale begins."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from apps.coupons import refusals
from apps.coupons.catalog import offered_vouchers
from apps.coupons.models import FlashSale, Reminder

LEAD_TIME = timedelta(minutes=5)
#: People are counted up to here: "more than 1,000" says as much.
MAX_COUNTED = 1_000


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
    sale: FlashSale | None = getattr(offered_vouchers.get_or_404(voucher_id), "sale", None)
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
