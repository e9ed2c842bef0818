"""Wishes to be told five minutes before a sale begins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from apps.coupons import access, refusals
from apps.coupons.models import FlashSale, Reminder
from apps.coupons.offers import Offer

BEFORE = timedelta(minutes=5)
#: People are counted up to here: "more than 1,000" says as much.
MOST_COUNTED = 1_000


@dataclass(frozen=True)
class Bell:
    """Whether the viewer will be told before a sale begins, and how many people will be (`waiting`)."""

    wanted: bool
    waiting: int


def want(voucher_id: int, user_id: int) -> FlashSale:
    """Tell this person before the sale begins; once, however often they ask. Problem 404, or 409."""
    sale = sale_of(voucher_id)
    now = timezone.now()
    if sale.begins_at <= now:
        raise refusals.BEGUN.problem()
    if not is_open(sale, now):
        raise refusals.TOO_LATE.problem()
    Reminder.objects.bulk_create([Reminder(sale=sale, user_id=user_id)], ignore_conflicts=True)
    return sale


def unwant(voucher_id: int, user_id: int) -> FlashSale:
    """Don't tell this person, whether they had asked or not; Problem 404."""
    sale = sale_of(voucher_id)
    Reminder.objects.filter(sale=sale, user_id=user_id).delete()
    return sale


def sale_of(voucher_id: int) -> FlashSale:
    """The offered flash sale, else Http404 or Problem 404."""
    sale: FlashSale | None = getattr(access.voucher(voucher_id), "sale", None)
    if sale is None:
        raise refusals.NOT_FOUND.problem()
    return sale


def is_open(sale: FlashSale, at: datetime) -> bool:
    """Whether one can still ask: later the message is on its way, and nobody gets a second one."""
    return sale.begins_at - at > BEFORE


def waiting(sale: FlashSale) -> int:
    """How many people will be told; MOST_COUNTED + 1 when they are more."""
    return Reminder.objects.filter(sale=sale)[: MOST_COUNTED + 1].count()


def wanted(user_id: int | None, sale_ids: Iterable[int]) -> set[int]:
    """Those of these sales that the person will be told of; a visitor of none."""
    if user_id is None:
        return set()
    mine = Reminder.objects.filter(user_id=user_id, sale__in=list(sale_ids))
    return set(mine.values_list("sale_id", flat=True))


def bell(sale: FlashSale, viewer_id: int | None) -> Bell:
    """How the bell of one sale stands."""
    return Bell(sale.pk in wanted(viewer_id, [sale.pk]), waiting(sale))


def bell_of(sale: FlashSale, viewer_id: int | None) -> Bell | None:
    """What the sale's page shows; None when it is too late to ask."""
    return bell(sale, viewer_id) if is_open(sale, timezone.now()) else None


def marked(offers: Sequence[Offer], viewer_id: int | None) -> list[Offer]:
    """The offers; those one can ask to be told of say whether the viewer has. One query at most."""
    coming = {one.sale.pk for one in offers if one.sale and is_open(one.sale, one.now)}
    mine = wanted(viewer_id, coming) if coming else set()
    return [
        replace(one, reminder=one.voucher.pk in mine) if one.voucher.pk in coming else one for one in offers
    ]
