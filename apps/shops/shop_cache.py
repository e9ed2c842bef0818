"""A shop's page through the cache: many readers, one query."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS

from apps.redis_kit import cache
from apps.shops import keys

if TYPE_CHECKING:
    from apps.shops.models import Shop

FIELD_NAMES = (
    *("id", "type_id", "name", "about", "city", "area", "address", "phone", "hours", "lng", "lat"),
    *("price", "currency", "rating", "reviews", "popularity", "picture"),
)
TYPE_FIELD_NAMES = ("id", "slug", "name", "name_zh", "icon", "position")


def _load_row(shop_id: int) -> dict[str, Any] | None:
    wanted = [*FIELD_NAMES, *(f"type__{field}" for field in TYPE_FIELD_NAMES)]
    shops = apps.get_model("shops", "Shop")._default_manager.filter(pk=shop_id, is_listed=True)
    return cast("dict[str, Any] | None", shops.values(*wanted).first())


SHOP_CACHE: cache.Cache[dict[str, Any]] = cache.Cache(
    keys.DETAIL, load=_load_row, fresh=timedelta(minutes=5), ttl=timedelta(hours=1), group="shops"
)


def get(shop_id: int) -> "Shop | None":
    """A listed shop with its type, from Redis or else SQL; None when there is none. Raises cache.Busy."""
    found = SHOP_CACHE.get(shop_id)
    if found is None:
        return None
    # A copy to read from: what it does not hold costs a query when it is touched.
    shop = _instance("Shop", FIELD_NAMES, (found[field] for field in FIELD_NAMES))
    shop.type = _shop_type(tuple(found[f"type__{field}"] for field in TYPE_FIELD_NAMES))
    return cast("Shop", shop)


# There are ten, and each request for a shop asks for one.
@lru_cache(100)
def _shop_type(values: tuple[Any, ...]) -> Any:
    return _instance("ShopType", TYPE_FIELD_NAMES, values)


def _instance(model: str, fields: Sequence[str], values: Iterable[Any]) -> Any:
    return apps.get_model("shops", model).from_db(DEFAULT_DB_ALIAS, fields, list(values))


def invalidate(shop_id: int) -> None:
    """Show the next reader what SQL says; called when a change of the shop has committed."""
    SHOP_CACHE.invalidate(shop_id)


def invalidate_all() -> None:
    """The same for every shop."""
    SHOP_CACHE.invalidate_group()
