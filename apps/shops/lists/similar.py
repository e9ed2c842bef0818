"""Shops that a reader of a shop's page may like: of the same type, nearby, the best rated first."""

from collections.abc import Sequence
from datetime import timedelta

from apps.redis_kit import cache
from apps.shops import areas, keys, shop_cache
from apps.shops.lists import nearby, rows
from apps.shops.lists.query import DEFAULT_RADIUS_M, Query, Sort
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop

MAX_SIMILAR = 4


def _load_ids(shop_id: int) -> list[int] | None:
    shop = shop_cache.get(shop_id)
    if shop is None:
        return None
    at = areas.Point(shop.lat, shop.lng)
    query = Query(kind=shop.type_id, at=at, radius_m=DEFAULT_RADIUS_M, sort=Sort.RATING)
    found = nearby.load_page(query, size=MAX_SIMILAR + 1).items
    return [other.pk for other in found if other.pk != shop_id][:MAX_SIMILAR]


#: Ids alone: names and scores are read anew, in the reader's language.
SIMILAR: cache.Cache[list[int]] = cache.Cache(
    keys.SIMILAR, load=_load_ids, fresh=timedelta(hours=1), ttl=timedelta(days=1)
)


def load(shop: Shop) -> Sequence[ShopRow]:
    """At most four listed shops with their distances; one round trip, one query. None of it in a crowd."""
    try:
        shop_ids = SIMILAR.get(shop.pk) or []
    except cache.Busy:
        return []
    found = rows.fetch_listed(shop_ids, areas.Point(shop.lat, shop.lng))
    return [found[shop_id] for shop_id in shop_ids if shop_id in found]
