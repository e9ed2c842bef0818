"""Rows of a list of shops as plain values by plain SQL: model objects took half of a page's time."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection

from apps.shops import areas
from apps.shops.models import Shop, ShopType, format_place
from apps.web import in_language, object_urls


class ShopRow(NamedTuple):
    """The fields of a shop that cards, pins and the API's list show, named as on Shop.

    The texts are those of the language in which the row was read.
    """

    pk: int
    type_id: int
    name: str
    city: str
    area: str
    address: str
    hours: str
    lng: float
    lat: float
    price: int
    currency: str
    rating: int
    reviews: int
    popularity: int
    picture: str
    type: ShopType
    #: Metres from the middle of the list, if it has one.
    distance_m: int | None

    @property
    def stars(self) -> float:
        """0.0 to 5.0."""
        return self.rating / 10

    @property
    def place(self) -> str:
        """Area and city."""
        return format_place(self.area, self.city)

    @property
    def cover_url(self) -> str:
        """The uploaded picture, or the drawn cover."""
        return (
            _PICTURE_STORAGE.url(self.picture) if self.picture else object_urls.build("shops:cover", self.pk)
        )

    def get_absolute_url(self) -> str:
        return object_urls.build("shops:detail", self.pk)


FIELD_NAMES = (
    *("id", "type_id", "name", "city", "area", "address", "hours", "lng", "lat", "price", "currency"),
    *("rating", "reviews", "popularity", "picture"),
)
TEXT_NAMES = frozenset({"name", "city", "area", "address", "hours"})
TYPE_FIELD_NAMES = ("id", "slug", *in_language.columns("name"), "icon", "position")
_FIELD_COUNT, _LNG, _LAT = len(FIELD_NAMES), FIELD_NAMES.index("lng"), FIELD_NAMES.index("lat")
_TABLES = f"{Shop._meta.db_table} shop JOIN {ShopType._meta.db_table} kind ON kind.id = shop.type_id"
_PICTURE_STORAGE = Shop._meta.get_field("picture").storage


def fetch_listed(shop_ids: Sequence[int], centre: areas.Point | None = None) -> dict[int, ShopRow]:
    """The listed shops among these ids, with distances from a centre: one query."""
    if not shop_ids:
        return {}
    marks = ", ".join(["%s"] * len(shop_ids))
    # Only names of this file are in the text.
    selected = _columns(chinese=in_language.is_chinese())
    query = f"SELECT {selected} FROM {_TABLES} WHERE shop.is_listed AND shop.id IN ({marks})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, shop_ids)
        return {row[0]: _build_row(row, centre) for row in cursor.fetchall()}


@lru_cache(2)
def _columns(*, chinese: bool) -> str:
    """SQL of the columns of a row, with the texts in one language."""
    of_shop = (
        in_language.select_sql(f"shop.{name}", chinese=chinese) if name in TEXT_NAMES else f"shop.{name}"
        for name in FIELD_NAMES
    )
    return ", ".join([*of_shop, *(f"kind.{name}" for name in TYPE_FIELD_NAMES)])


def _build_row(row: tuple[Any, ...], centre: areas.Point | None) -> ShopRow:
    away = round(areas.distance_metres(centre.lat, centre.lng, row[_LAT], row[_LNG])) if centre else None
    return ShopRow._make((*row[:_FIELD_COUNT], _shop_type(row[_FIELD_COUNT:]), away))


# There are ten, and a list asks for one with each row.
@lru_cache(100)
def _shop_type(values: tuple[Any, ...]) -> ShopType:
    return ShopType.from_db(connection.alias, TYPE_FIELD_NAMES, values)
