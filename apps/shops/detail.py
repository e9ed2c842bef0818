"""A shop's page through the cache: many readers, one query."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from django.apps import apps

from apps.redis_kit import cache
from apps.shops import keys

if TYPE_CHECKING:
    from apps.shops.models import Shop

FIELDS = (
    *("id", "type_id", "name", "about", "city", "area", "address", "phone", "hours", "lng", "lat"),
    *("price", "currency", "rating", "reviews", "popularity", "picture"),
)
TYPE_FIELDS = ("id", "slug", "name", "name_zh", "icon", "position")


def _load(shop_id: int) -> dict[str, Any] | None:
    wanted = [*FIELDS, *(f"type__{field}" for field in TYPE_FIELDS)]
    shops = apps.get_model("shops", "Shop")._default_manager.filter(pk=shop_id, is_listed=True)
    return cast("dict[str, Any] | None", shops.values(*wanted).first())


SHOP: cache.Cache[dict[str, Any]] = cache.Cache(
    keys.DETAIL, load=_load, fresh=timedelta(minutes=5), ttl=timedelta(hours=1), group="shops"
)


def get(shop_id: int) -> "Shop | None":
    """A listed shop with its type, from Redis or else SQL; None when there is none. Raises cache.Busy."""
    found = SHOP.get(shop_id)
    if found is None:
        return None
    kind = apps.get_model("shops", "ShopType")(**{field: found[f"type__{field}"] for field in TYPE_FIELDS})
    shop = apps.get_model("shops", "Shop")(**{field: found[field] for field in FIELDS})
    shop.type = kind
    # A copy to read from: it exists, and saving it must not insert a second one.
    shop._state.adding = kind._state.adding = False
    return shop


def forget(shop_id: int) -> None:
    """Show the next reader what SQL says; called when a change of the shop has committed."""
    SHOP.invalidate(shop_id)


def forget_all() -> None:
    """The same for every shop."""
    SHOP.invalidate_group()
