"""Rows of a list of shops as plain values, in the reader's language."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet

from apps.accounts.pictures import files, uploads
from apps.shops import areas, shop_hours
from apps.shops.covers import scene
from apps.shops.covers.scene import Look
from apps.shops.models import Shop, ShopType, format_place
from apps.web import in_language, object_urls
from apps.web.compiled_queries import CompiledQuery


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
    #: In a line, in the language in which the row was read.
    hours: str
    schedule: str
    nearest_city_id: int | None
    lng: float
    lat: float
    price: int
    currency: str
    rating: int
    reviews: int
    popularity: int
    picture: str
    type: ShopType
    #: How its drawn cover looks, by its names in both languages.
    look: Look
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
        """The picture of cards: the uploaded one, or the drawn cover."""
        if not self.picture:
            return object_urls.build("shops:cover", self.pk)
        return files.address(_PICTURE_STORAGE.url(self.picture), uploads.CARD_PIXELS)

    def get_absolute_url(self) -> str:
        return object_urls.build("shops:detail", self.pk)


_FIELDS = (
    *("pk", "type_id", "schedule", "nearest_city_id", "lng", "lat"),
    *("price", "currency", "rating", "reviews", "popularity", "picture"),
    *in_language.columns("name", "city", "area", "address", "hours"),
)
_TYPE_FIELDS = ("id", "slug", *in_language.columns("name"), "icon", "position")
_PICTURE_STORAGE = Shop._meta.get_field("picture").storage


def fetch_listed(shop_ids: Sequence[int], centre: areas.Point | None = None) -> dict[int, ShopRow]:
    """The listed shops among these ids, with distances from a centre: one query."""
    if not shop_ids:
        return {}
    return {row.pk: _build_row(row, centre) for row in _query_listed(list(shop_ids))}


# Compiled: the list around a reader, which no two readers share, is made of it (lab.bench.pages).
@CompiledQuery
def _query_listed(shop_ids: list[int]) -> QuerySet[Shop, Any]:
    listed = Shop.objects.open_to_public().filter(pk__in=shop_ids)
    return listed.values_list(*_FIELDS, *(f"type__{name}" for name in _TYPE_FIELDS), named=True)


def _build_row(row: Any, centre: areas.Point | None) -> ShopRow:
    away = round(areas.distance_metres(centre.lat, centre.lng, row.lat, row.lng)) if centre else None
    return ShopRow(
        pk=row.pk,
        type_id=row.type_id,
        name=in_language.choose(row.name_en, row.name_zh),
        city=in_language.choose(row.city_en, row.city_zh),
        area=in_language.choose(row.area_en, row.area_zh),
        address=in_language.choose(row.address_en, row.address_zh),
        hours=shop_hours.format_line(row),
        schedule=row.schedule,
        nearest_city_id=row.nearest_city_id,
        lng=row.lng,
        lat=row.lat,
        price=row.price,
        currency=row.currency,
        rating=row.rating,
        reviews=row.reviews,
        popularity=row.popularity,
        picture=row.picture,
        type=(shop_type := _shop_type(row[-len(_TYPE_FIELDS) :])),
        look=scene.choose_look(shop_type.slug, row.name_en, row.name_zh, row.pk),
        distance_m=away,
    )


# There are ten, and a list asks for one with each row.
@lru_cache(100)
def _shop_type(values: tuple[Any, ...]) -> ShopType:
    return ShopType.from_db(DEFAULT_DB_ALIAS, _TYPE_FIELDS, values)
