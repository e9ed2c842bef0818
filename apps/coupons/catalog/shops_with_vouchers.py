"""Keeps with each shop until when it has a voucher: lists filter by it without asking vouchers."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.coupons.models import Voucher
from apps.redis_kit.findings import Finding
from apps.shops import changes
from apps.shops.models import Shop
from apps.web import batches

BATCH_SHOPS = 500
#: For vouchers that are sold until they are withdrawn.
WITHOUT_END = datetime(2100, 1, 1, tzinfo=UTC)
NOTHING = "none"


def compute_ends(shop_ids: Sequence[int]) -> dict[int, datetime]:
    """Until when each shop has an offered voucher whose sale, if any, is not over; one query."""
    lasting = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    rows = Voucher.objects.filter(lasting, is_offered=True, shop__in=shop_ids).values("shop_id")
    return dict(rows.annotate(end=Max(Coalesce("sale__ends_at", WITHOUT_END))).values_list("shop_id", "end"))


def update(shop_ids: Sequence[int]) -> int:
    """Store the ends of these shops where they differ; returns how many did.

    Of two vouchers of a shop that are saved at once, the second waits for the shop's row and then reads both.
    """
    with transaction.atomic():
        locked = Shop.objects.select_for_update(no_key=True).filter(pk__in=shop_ids).order_by("pk")
        wrong = _differences([shop.pk for shop in locked.only("pk")])
        _store(wrong)
    return len(wrong)


def end_past() -> int:
    """Take the ends off shops whose last sale is over: search finds no coupon there; returns how many."""
    over = Shop.objects.filter(vouchers_until__lte=timezone.now())
    # Read again by the update: a voucher that was offered meanwhile has set a later end.
    return changes.update(
        over.filter(pk__in=list(over.values_list("pk", flat=True)[:BATCH_SHOPS])), vouchers_until=None
    )


def update_all() -> int:
    """Store the ends of all shops; returns how many differed."""
    return sum(map(update, batches.iter_pk_chunks(Shop.objects.all(), BATCH_SHOPS)))


def check(fix: bool) -> Iterator[Finding]:
    """Yield every shop whose end is not that of its vouchers."""
    for shop_ids in batches.iter_pk_chunks(Shop.objects.all(), BATCH_SHOPS):
        # Two comparisons: a voucher that changes during one of them differs in that one only.
        wrong = _differences([shop.pk for shop, _end in _differences(shop_ids)])
        if fix and wrong:
            update([shop.pk for shop, _end in wrong])
        for shop, end in wrong:
            yield Finding(f"shop {shop.pk}", "vouchers until", _text(shop.vouchers_until), _text(end))


def _differences(shop_ids: Sequence[int]) -> list[tuple[Shop, datetime | None]]:
    """The shops whose stored end is wrong, with the right one."""
    ends, now = compute_ends(shop_ids), timezone.now()
    rows = Shop.objects.filter(pk__in=shop_ids).only("pk", "vouchers_until")
    # What is over says the same as none, and needs no writing at the end of each sale.
    stored = {
        shop: shop.vouchers_until if shop.vouchers_until and shop.vouchers_until > now else None
        for shop in rows
    }
    return [(shop, ends.get(shop.pk)) for shop, end in stored.items() if end != ends.get(shop.pk)]


def _store(wrong: Sequence[tuple[Shop, datetime | None]]) -> None:
    shops_by_end: dict[datetime | None, list[int]] = {}
    for shop, end in wrong:
        shops_by_end.setdefault(end, []).append(shop.pk)
    for end, shop_ids in shops_by_end.items():
        changes.update(Shop.objects.filter(pk__in=shop_ids), vouchers_until=end)


def _text(end: datetime | None) -> str:
    return end.isoformat() if end else NOTHING
