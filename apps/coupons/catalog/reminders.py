"""Reminders: people ask for a message five minutes before a sale begins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from apps.coupons import refusals
from apps.coupons.catalog import offered_vouchers
from apps.coupons.catalog.offers import Offer
from apps.coupons.models import FlashSale, Reminder

LEAD_TIME = timedelta(minutes=5)
#: People are counted up to here: "more than 1,000" says as much.
MAX_COUNTED = 1_000


@dataclass(frozen=True)
class ReminderState:
    """Whether the viewer wants a reminder of a sale, and how many people do (`waiting`)."""

    wanted: bool
    waiting: int


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
    return sale.begins_at - at > LEAD_TIME


def count_waiting(sale: FlashSale) -> int:
    """How many people want a reminder; MAX_COUNTED + 1 when they are more."""
    return Reminder.objects.filter(sale=sale)[: MAX_COUNTED + 1].count()


def find_wanted_sale_ids(user_id: int | None, sale_ids: Iterable[int]) -> set[int]:
    """The sales among `sale_ids` that the person wants a reminder of; none for a visitor."""
    if user_id is None:
        return set()
    mine = Reminder.objects.filter(user_id=user_id, sale__in=list(sale_ids))
    return set(mine.values_list("sale_id", flat=True))


def read_state(sale: FlashSale, viewer_id: int | None) -> ReminderState:
    """The reminder button of one sale."""
    return ReminderState(sale.pk in find_wanted_sale_ids(viewer_id, [sale.pk]), count_waiting(sale))


def read_state_if_open(sale: FlashSale, viewer_id: int | None) -> ReminderState | None:
    """The reminder button of the sale's page; None when it is too late to set one."""
    return read_state(sale, viewer_id) if can_be_set(sale, timezone.now()) else None


def mark_offers(offers: Sequence[Offer], viewer_id: int | None) -> list[Offer]:
    """The offers, with `reminder` set where one can be asked for. At most one query."""
    coming = {one.sale.pk for one in offers if one.sale and can_be_set(one.sale, one.now)}
    mine = find_wanted_sale_ids(viewer_id, coming) if coming else set()
    return [
        replace(one, reminder=one.voucher.pk in mine) if one.voucher.pk in coming else one for one in offers
    ]
