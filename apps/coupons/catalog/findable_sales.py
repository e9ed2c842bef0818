"""Running flash sales as search finds them, and until when each shop has vouchers, kept with the shop."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.coupons.models import Voucher
from apps.redis_kit.findings import Finding
from apps.shops import changes, findable_shops
from apps.shops.models import Shop
from apps.web import batches, findable, in_language
from apps.web.findable import Document, Facets, Field, Kind, Listener, Shown

BATCH_SHOPS = 500
#: For vouchers that are sold until they are withdrawn.
WITHOUT_END = datetime(2100, 1, 1, tzinfo=UTC)
NOTHING = "none"

NAME = "sales"
BATCH_SIZE = 500


def compute_ends(shop_ids: Sequence[int]) -> dict[int, datetime]:
    """Until when each shop has an offered voucher whose sale, if any, is not over; one query."""
    lasting = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    rows = Voucher.objects.filter(lasting, is_offered=True, shop__in=shop_ids).values("shop_id")
    return dict(rows.annotate(end=Max(Coalesce("sale__ends_at", WITHOUT_END))).values_list("shop_id", "end"))


def update(shop_ids: Sequence[int]) -> int:
    """Store the ends of the given shops where they differ; returns how many did.

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


def _offered() -> QuerySet[Voucher]:
    """Vouchers with a sale that is not over; search itself keeps to those that have begun."""
    return Voucher.objects.offered().filter(sale__ends_at__gt=timezone.now())


def _build(voucher: Voucher) -> Document:
    shop, sale = voucher.shop, voucher.sale
    return Document(
        id=voucher.pk,
        texts={
            "title": findable_shops.both_languages(voucher, "title"),
            "subtitle": findable_shops.both_languages(voucher, "subtitle"),
            "shop": findable_shops.both_languages(shop, "name", "area", "city"),
            "rules": findable_shops.both_languages(voucher, "rules"),
        },
        orders={
            "newest": sale.begins_at.timestamp(),
            "ends": sale.ends_at.timestamp(),
            "price": voucher.price,
        },
        names=findable_shops.names_by_language(voucher, "title"),
        facets=findable_shops.place_facets(shop),
        place=findable_shops.place_of(shop),
    )


def _load(ids: Sequence[int]) -> list[Document]:
    rows = _offered().filter(pk__in=ids).select_related("shop", "shop__type", "sale")
    return [_build(voucher) for voucher in rows]


def _pk_chunks(after: int = 0) -> Iterator[list[int]]:
    return batches.iter_pk_chunks(_offered(), BATCH_SIZE, after=after)


def _show(ids: Collection[int]) -> dict[int, Shown]:
    running = _offered().filter(pk__in=ids, sale__begins_at__lte=timezone.now())
    rows = running.select_related("shop", "shop__type", "sale")
    return {
        voucher.pk: Shown(
            voucher.title, f"{voucher.subtitle} · {voucher.shop.name}", voucher.get_absolute_url(), voucher
        )
        for voucher in rows
    }


def _shops_with_vouchers(kind: str, ids: Sequence[int]) -> Facets:
    """The facet of shops that have an offered voucher whose sale, if any, is not over."""
    if kind != findable_shops.NAME:
        return {}
    lasting = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    shop_ids = Voucher.objects.offered().filter(lasting, shop__in=ids).values_list("shop_id", flat=True)
    return {shop_id: {"voucher": ["1"]} for shop_id in shop_ids.distinct()}


def refresh_with_shop(_kind: str, ids: Sequence[int]) -> None:
    """Sales are found by the name and place of their shop, which changed."""
    # Not only those on offer: a shop that was taken off the site takes its sales with it.
    lasting = Voucher.objects.filter(sale__ends_at__gt=timezone.now(), shop__in=ids)
    findable.changed(NAME, *lasting.values_list("pk", flat=True))


def announce_change(voucher: Voucher) -> None:
    """Say that a voucher changed, and with it what its shop has; inside the transaction."""
    update([voucher.shop_id])
    findable.changed(NAME, voucher.pk)
    findable.changed(findable_shops.NAME, voucher.shop_id, columns=["vouchers"])


SHOP_LISTENER = Listener(refresh_with_shop, {findable_shops.NAME}, findable_shops.SHOWN_COLUMNS)
KIND = Kind(
    name=NAME,
    label=_("Flash sales"),
    fields={
        "title": Field(4, is_name=True),
        "subtitle": Field(2),
        "shop": Field(1.5, is_name=True),
        "rules": Field(0.5),
    },
    orders=("ends", "price", "newest"),
    facets=("type", "area", "city"),
    load=_load,
    pk_chunks=_pk_chunks,
    show=_show,
    label_facet=findable_shops.label_facet,
    window=("newest", "ends"),
    name_orders=in_language.columns("name"),
    has_places=True,
    facets_of_others=_shops_with_vouchers,
)
