"""Cached shops: a listed shop with its type from Redis, loaded from SQL by one reader at a time."""

from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from apps.redis_kit import cache
from apps.shops import keys
from apps.shops.models import SCORES, Shop, ShopPhoto, ShopType
from apps.web.in_language import columns

FIELD_NAMES = (
    *("id", "type_id", *columns("name", "about", "city", "area", "address"), "phone"),
    *(*columns("hours"), "schedule", "nearest_city_id", "lng", "lat"),
    *("price", "currency", "rating", "reviews", *SCORES, "popularity", "picture"),
)
PHOTO_FIELD_NAMES = ("id", "name", *columns("caption"), "width", "height")
TYPE_FIELD_NAMES = ("id", "slug", *columns("name"), "icon", "position", "has_dishes")


def _load_row(shop_id: int) -> dict[str, Any] | None:
    columns = [*FIELD_NAMES, *(f"type__{field}" for field in TYPE_FIELD_NAMES)]
    row: dict[str, Any] | None = Shop.objects.open_to_public().filter(pk=shop_id).values(*columns).first()
    if row is not None:
        row["photos"] = list(ShopPhoto.objects.filter(shop=shop_id).values_list(*PHOTO_FIELD_NAMES))
    return row


SHOP_CACHE: cache.Cache[dict[str, Any]] = cache.Cache(
    keys.DETAIL, load=_load_row, fresh=timedelta(minutes=5), ttl=timedelta(hours=1), group="shops", shape=3
)


def get(shop_id: int) -> Shop | None:
    """A listed shop with its type and its own photos, from Redis or else from SQL; None when there is none.

    Raises cache.Busy. A column that isn't in FIELD_NAMES costs a query when it is read.
    """
    row = SHOP_CACHE.get(shop_id)
    if row is None:
        return None
    shop = Shop.from_db(DEFAULT_DB_ALIAS, FIELD_NAMES, [row[field] for field in FIELD_NAMES])
    shop.own_photos = [ShopPhoto.from_db(DEFAULT_DB_ALIAS, PHOTO_FIELD_NAMES, one) for one in row["photos"]]
    shop.type = _shop_type(tuple(row[f"type__{field}"] for field in TYPE_FIELD_NAMES))
    return shop


# There are ten, and each request for a shop asks for one.
@lru_cache(100)
def _shop_type(values: tuple[Any, ...]) -> ShopType:
    return ShopType.from_db(DEFAULT_DB_ALIAS, TYPE_FIELD_NAMES, list(values))


def invalidate(*shop_ids: int) -> None:
    """Drop these shops' copies, so that the next reader loads each from SQL; call it after the commit."""
    SHOP_CACHE.invalidate_many([(shop_id,) for shop_id in shop_ids])


def invalidate_all() -> None:
    """Drop every shop's copy; call it after the commit."""
    SHOP_CACHE.invalidate_group()
