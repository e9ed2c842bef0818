"""Running flash sales as search finds them, and which shops have coupons."""

from collections.abc import Collection, Iterator, Sequence

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.coupons.catalog import shops_with_vouchers
from apps.coupons.models import Voucher
from apps.shops import findable_shops
from apps.web import batches, findable, in_language
from apps.web.findable import Document, Facets, Field, Kind, Listener, Shown

NAME = "sales"
BATCH_SIZE = 500


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
    shops_with_vouchers.update([voucher.shop_id])
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
