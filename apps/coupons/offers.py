"""Vouchers and flash sales to choose among, with Redis's count of units: one round trip a list."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from apps.coupons import live, refusals
from apps.coupons.models import FlashSale, Voucher
from apps.redis_kit import client, paging

Phase = Literal["soon", "running", "sold_out", "ended"]
#: Cards on the home page: two rows on a desk.
STRIP = 6
#: Vouchers on one page of a shop's list in the API.
PAGE = 20
#: Cards of one tab of the page of sales.
MOST = 60


@dataclass(frozen=True)
class Offer:
    """A voucher, and for a flash sale its phase and the units left; `phase` is None for an ordinary one.

    `reminder`: whether the viewer will be told before it begins; None where one can't ask for that.
    """

    voucher: Voucher
    phase: Phase | None
    left: int
    now: datetime
    reminder: bool | None = None

    @property
    def sale(self) -> FlashSale | None:
        return getattr(self.voucher, "sale", None)


def with_live(vouchers: Iterable[Voucher]) -> list[Offer]:
    """The vouchers (their sales selected) with what Redis says now, or SQL when it is away."""
    listed = list(vouchers)
    known = units([voucher.sale for voucher in listed if hasattr(voucher, "sale")])
    return [offer(voucher, known) for voucher in listed]


def units(sales: list[FlashSale]) -> dict[int, int]:
    """Units left by voucher id, of those sales that Redis knows; nothing when Redis is away."""
    try:
        found = live.of(sales)
    except client.UNAVAILABLE:
        return {}
    return {voucher_id: one.units for voucher_id, one in found.items() if one.units is not None}


def offer(voucher: Voucher, known: dict[int, int]) -> Offer:
    """One voucher with the units that `units` found."""
    now = timezone.now()
    sale: FlashSale | None = getattr(voucher, "sale", None)
    if sale is None:
        return Offer(voucher, None, 0, now)
    left = known.get(sale.pk, sale.stock_left)
    return Offer(voucher, phase(sale, left=left, now=now), left, now)


def phase(sale: FlashSale, *, left: int, now: datetime) -> Phase:
    """Where a sale stands for everybody."""
    if now >= sale.ends_at:
        return "ended"
    if now < sale.begins_at:
        return "soon"
    return "running" if left else "sold_out"


def of_shop(shop_id: int) -> QuerySet[Voucher]:
    """What a shop offers: everything but sales that are over."""
    open_ended = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    return Voucher.objects.offered().filter(open_ended, shop_id=shop_id).select_related("shop", "sale")


def page_of_shop(shop_id: int, *, cursor: str) -> paging.Page[Voucher]:
    """A page of what a shop offers, the newest first; Problem 400 bad_cursor."""
    try:
        return paging.slice_after(of_shop(shop_id), order=["-id"], types=[int], cursor=cursor, size=PAGE)
    except paging.BadCursor:
        raise refusals.bad_cursor() from None


def strip() -> list[Offer]:
    """The sales for the home page: those that run, then those that begin soonest, then the sold out."""
    now = timezone.now()
    rank = Case(
        When(sale__begins_at__gt=now, then=Value(1)),
        When(sale__stock_left=0, then=Value(2)),
        default=Value(0),
        output_field=IntegerField(),
    )
    coming = _sales().filter(sale__ends_at__gt=now).annotate(rank=rank)
    shown = with_live(coming.order_by("rank", "sale__begins_at", "pk")[:STRIP])
    order: list[Phase | None] = ["running", "soon", "sold_out", "ended"]
    return sorted(shown, key=lambda one: order.index(one.phase))


def running() -> list[Offer]:
    """Sales one can buy from now, those that end first at the top; the sold out at the end."""
    now = timezone.now()
    found = _sales().filter(sale__begins_at__lte=now, sale__ends_at__gt=now)
    return sorted(with_live(found.order_by("sale__ends_at", "pk")[:MOST]), key=lambda one: not one.left)


def coming() -> list[Offer]:
    """Sales that begin later, the next one at the top."""
    found = _sales().filter(sale__begins_at__gt=timezone.now())
    return with_live(found.order_by("sale__begins_at", "pk")[:MOST])


def ended() -> list[Offer]:
    """Sales that are over, the latest at the top."""
    found = _sales().filter(sale__ends_at__lte=timezone.now())
    return with_live(found.order_by("-sale__ends_at", "pk")[:MOST])


def _sales() -> QuerySet[Voucher]:
    return Voucher.objects.offered().filter(sale__isnull=False).select_related("shop", "sale")
