"""The GEO index of listed shops in Redis, one index per type and one of all, updated shop by shop."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import IntEnum
from typing import cast

from apps.redis_kit import client, scripts
from apps.shops import areas, filters, keys, shop_hours
from apps.shops.models import Shop

#: Longer than any rebuild, or any save, takes between reading a shop and writing it.
DELETED_TTL = timedelta(hours=1)
#: In the last of the 2^26 columns of a score.
MAX_INDEX_LONGITUDE = 179.999999
#: Each try reads the type again; only as many saves of one shop within a millisecond could exhaust them.
MAX_TRIES = 5


class PlaceOutcome(IntEnum):
    MOVED = -1
    OLDER = 0
    DONE = 1


PLACE_SHOP = scripts.Script("place_shop", package="apps.shops.geo", reply=PlaceOutcome)


def encode_facts(shop: Shop) -> str:
    """What lists know of a shop, parted by colons.

    "rating:popularity:price:latitude:longitude:area:vouchers:hours:type:version": area as filters.fold_area
    writes it; vouchers until which second since 1970, 0 for none; hours as shop_hours.encode has them; type
    0 for a shop that is not listed; version is updated_at in microseconds.
    """
    kind = shop.type_id if shop.is_listed and on_map(shop) else 0
    until = int(shop.vouchers_until.timestamp()) if shop.vouchers_until else 0
    hours = shop_hours.encode(shop)
    area = filters.fold_area(shop.area_en, shop.area_zh)
    version = int(shop.updated_at.timestamp() * 1_000_000)
    numbers = f"{shop.rating}:{shop.popularity}:{shop.price}:{shop.lat:.7f}:{shop.lng:.7f}"
    return f"{numbers}:{area}:{until}:{hours}:{kind}:{version}"


def index_lng(shop: Shop) -> float:
    """The longitude for GEOADD, which gives 180 itself a score beyond all others."""
    return min(shop.lng, MAX_INDEX_LONGITUDE)


def on_map(shop: Shop) -> bool:
    """Whether Redis GEO can hold the shop: a row written past the form's checks may lie anywhere."""
    try:
        return bool(areas.Point(shop.lat, shop.lng))
    except areas.BadArea:
        return False


def sync(shop_ids: Sequence[int]) -> None:
    """Make the index equal to SQL for these shops: one query, a few round trips."""
    rows = Shop.objects.in_bulk(shop_ids)
    put_shops(rows.values())
    remove_shops([shop_id for shop_id in shop_ids if shop_id not in rows])


def put_shops(shops: Iterable[Shop]) -> None:
    """Write these shops to the index, each unless the index has a newer version."""
    waiting = list(shops)
    for _ in range(MAX_TRIES):
        if not waiting:
            return
        placed = _place_shops(waiting, _indexed_types([shop.pk for shop in waiting]))
        waiting = [shop for shop, how in zip(waiting, placed, strict=True) if how is PlaceOutcome.MOVED]


def remove_shops(shop_ids: Sequence[int]) -> None:
    """Remove deleted shops; for an hour no slower writer can put them back."""
    if not shop_ids:
        return
    with client.get().pipeline(transaction=True) as pipe:
        pipe.sadd(keys.DELETED(), *shop_ids)
        pipe.expire(keys.DELETED(), DELETED_TTL)
        pipe.execute()
    # From here on nobody else places them, so the types read now stay true.
    indexed = _indexed_types(shop_ids)
    with client.get().pipeline(transaction=True) as pipe:
        for index in {keys.ALL_TYPES, *indexed}:
            pipe.zrem(keys.GEO(type=index), *shop_ids)
        pipe.hdel(keys.FACTS(), *map(str, shop_ids))
        pipe.execute()


def _indexed_types(shop_ids: Sequence[int]) -> list[int]:
    """The type whose index each shop is in, 0 for none."""
    raw = client.get().hmget(keys.FACTS(), [str(shop_id) for shop_id in shop_ids])
    indexed = cast("list[str | None]", raw)
    return [int(one.split(":")[-2]) if one else 0 for one in indexed]


def _place_shops(shops: Sequence[Shop], indexed: Sequence[int]) -> list[PlaceOutcome]:
    calls: list[scripts.Call] = [_place_call(shop, was) for shop, was in zip(shops, indexed, strict=True)]
    return PLACE_SHOP.call_many(client.get(), calls)[0]


def _place_call(shop: Shop, was: int) -> scripts.Call:
    indexes = [keys.GEO(type=index) for index in (keys.ALL_TYPES, shop.type_id, was or shop.type_id)]
    return [keys.FACTS(), keys.DELETED(), *indexes], [
        shop.pk,
        encode_facts(shop),
        index_lng(shop),
        shop.lat,
        was,
    ]
