"""Shops as search finds them."""

from collections.abc import Collection, Iterator, Sequence

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts import city_names
from apps.shops import filters, money
from apps.shops.geo import geo_index
from apps.shops.models import Shop, ShopType
from apps.web import batches, findable, in_language
from apps.web.compiled_queries import CompiledQuery
from apps.web.findable import Document, Field, Kind, Shown

NAME = "shops"
#: Columns whose change other things show too.
SHOWN_COLUMNS = frozenset({*in_language.columns("name", "city", "area"), "lat", "lng", "type", "is_listed"})
BATCH_SIZE = 500


def both_languages(row: object, *names: str) -> list[str]:
    """The columns' texts in both languages, without the missing ones."""
    return [text for text in (getattr(row, column) for column in in_language.columns(*names)) if text]


def names_by_language(row: object, name: str) -> dict[str, str]:
    """What a row is called where each language is read, by name order."""
    english, chinese = (getattr(row, column) for column in in_language.columns(name))
    return dict(zip(in_language.columns("name"), (english or chinese, chinese or english), strict=True))


def place_facets(shop: Shop) -> dict[str, list[str]]:
    """Type, area and city of a shop, for the shop and for what is about it."""
    return {
        "type": [shop.type.slug],
        "area": [findable.pair_value(shop.area_en, shop.area_zh)] if shop.area else [],
        "city": [findable.pair_value(shop.city_en, shop.city_zh)] if shop.city else [],
    }


def place_of(shop: Shop) -> tuple[float, float] | None:
    """(latitude, longitude) when the shop is on the map."""
    return (shop.lat, shop.lng) if geo_index.on_map(shop) else None


def label_facet(facet: str, value: str) -> str:
    """A facet's value in the active language."""
    if facet == "type":
        found = ShopType.objects.filter(slug=value).first()
        return found.name if found else value
    if facet == "area":
        return in_language.choose(*findable.split_pair(value))
    if facet == "city":
        return city_names.localize(in_language.choose(*findable.split_pair(value)))
    return _FIXED_LABELS[facet](value) if facet in _FIXED_LABELS else value


def label_band(value: str) -> str:
    """A band of prices in the active language."""
    found = filters.band_range(value)
    if found is None:
        return value
    start, end = (money.format_amount(one, settings.CURRENCY) for one in found)
    if not found[0]:
        return _("Under %(price)s") % {"price": end}
    if found[1] == filters.MAX_PRICE:
        return _("%(price)s and more") % {"price": start}
    return _("%(lowest)s to %(highest)s") % {"lowest": start, "highest": end}


def _label_voucher(_value: str) -> str:
    return _("Has a coupon")


_FIXED_LABELS = {"price": label_band, "voucher": _label_voucher}


def _build(shop: Shop) -> Document:
    return Document(
        id=shop.pk,
        texts={
            "name": both_languages(shop, "name"),
            "type": both_languages(shop.type, "name"),
            "place": both_languages(shop, "area", "city", "address"),
            "about": both_languages(shop, "about"),
        },
        orders={
            "rating": shop.rating,
            "votes": shop.reviews,
            "popular": shop.popularity,
            "price": shop.price,
            "newest": shop.created_at.timestamp(),
        },
        names=names_by_language(shop, "name"),
        facets={**place_facets(shop), "price": [filters.price_band(shop.price)]},
        place=place_of(shop),
    )


def _load(ids: Sequence[int]) -> list[Document]:
    return [_build(shop) for shop in Shop.objects.open_to_public().filter(pk__in=ids).select_related("type")]


def _pk_chunks(after: int = 0) -> Iterator[list[int]]:
    return batches.iter_pk_chunks(Shop.objects.open_to_public(), BATCH_SIZE, after=after)


@CompiledQuery
def _query_open(ids: list[int]) -> QuerySet[Shop]:
    return Shop.objects.open_to_public().filter(pk__in=ids).select_related("type")


def _show(ids: Collection[int]) -> dict[int, Shown]:
    rows = _query_open(list(ids))
    return {shop.pk: Shown(shop.name, shop.about, shop.get_absolute_url(), shop) for shop in rows}


KIND = Kind(
    name=NAME,
    label=gettext_lazy("Shops"),
    fields={
        "name": Field(5, is_name=True),
        "type": Field(2, is_name=True),
        "place": Field(1.5, by_sound=True),
        "about": Field(1),
    },
    orders=("popular", "rating", "votes", "price", "newest"),
    facets=("type", "area", "city", "price", "voucher"),
    scales=("price",),
    has_hours=True,
    has_places=True,
    load=_load,
    pk_chunks=_pk_chunks,
    show=_show,
    label_facet=label_facet,
    name_orders=in_language.columns("name"),
)
