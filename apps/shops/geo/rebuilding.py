"""Rebuilds the GEO index from SQL: filled beside the old one in bounded memory, then swapped."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from apps.redis_kit import client
from apps.shops import keys
from apps.shops.geo import geo_index
from apps.shops.models import Shop, ShopType
from apps.web import batches

Progress = Callable[[int, int], object]

BATCH_SIZE = 2000
COLUMN_NAMES = (
    *("id", "type_id", "lat", "lng", "rating", "popularity", "price", "is_listed", "updated_at"),
    *("area_en", "area_zh", "schedule", "nearest_city_id", "vouchers_until"),
)
#: What a rebuild that died leaves behind goes away by itself.
BUILD_TTL = timedelta(hours=1)
#: Clocks of web servers and of a transaction still open when the rebuild began.
CLOCK_SLACK = timedelta(seconds=10)


def rebuild(progress: Progress | None = None) -> int:
    """Write every listed shop to a new index and swap it in; returns their number.

    Readers see the old index until the new one is complete.
    """
    began, build = timezone.now(), secrets.token_hex(4)
    total, done, listed = Shop.objects.count(), 0, 0
    for shops in batches.chunked(_iter_shops(), BATCH_SIZE):
        listed += _write_batch(shops, build)
        done += len(shops)
        if progress:
            progress(done, max(total, done))
    _swap_indexes(build, listed)
    _catch_up(began - CLOCK_SLACK)
    return listed


def rebuild_if_incomplete() -> bool:
    """Rebuild when the index is missing or its number of shops differs from SQL; whether shops were missing.

    A new site has none, and begins with an empty index.
    """
    redis, listed = client.get(), Shop.objects.open_to_public().on_map().count()
    indexed = redis.zcard(keys.GEO(type=keys.ALL_TYPES))
    if redis.exists(keys.INDEX_COMPLETE()) and indexed == listed:
        return False
    rebuild()
    return bool(indexed or listed)


def _iter_shops() -> Iterator[Shop]:
    # Keyset slices: an iterator over one long query would hold a read transaction open on SQLite.
    last = 0
    rows = Shop.objects.only(*COLUMN_NAMES).order_by("pk")
    while found := list(rows.filter(pk__gt=last)[:BATCH_SIZE]):
        yield from found
        last = found[-1].pk


def _write_batch(shops: Sequence[Shop], build: str) -> int:
    """Queue a batch for the new index; how many of it are listed."""
    listed = [shop for shop in shops if shop.is_listed and geo_index.on_map(shop)]
    places: dict[int, list[float | int]] = {}
    for shop in listed:
        for index in (keys.ALL_TYPES, shop.type_id):
            places.setdefault(index, []).extend((geo_index.index_lng(shop), shop.lat, shop.pk))
    with client.get().pipeline(transaction=False) as pipe:
        for index, flat in places.items():
            pipe.geoadd(keys.BUILD_GEO(build=build, type=index), flat)
            pipe.expire(keys.BUILD_GEO(build=build, type=index), BUILD_TTL)
        pipe.hset(
            keys.BUILD_FACTS(build=build),
            mapping={str(shop.pk): geo_index.encode_facts(shop) for shop in shops},
        )
        pipe.expire(keys.BUILD_FACTS(build=build), BUILD_TTL)
        pipe.execute()
    return len(listed)


def _swap_indexes(build: str, listed: int) -> None:
    pairs = [(keys.BUILD_FACTS(build=build), keys.FACTS())]
    for index in [keys.ALL_TYPES, *ShopType.objects.values_list("pk", flat=True)]:
        pairs.append((keys.BUILD_GEO(build=build, type=index), keys.GEO(type=index)))
    redis = client.get()
    filled = [redis.exists(made) for made, _ in pairs]
    with redis.pipeline(transaction=True) as pipe:
        for (made, live), exists in zip(pairs, filled, strict=True):
            if exists:
                # All keys are of one slot; on a cluster redis-py has no `rename` for a pipeline.
                pipe.execute_command("RENAME", made, live)
                pipe.persist(live)
            else:
                pipe.delete(live)
        pipe.set(keys.INDEX_COMPLETE(), listed)
        pipe.execute()


def _catch_up(since: datetime) -> None:
    """What changed while the rebuild was reading: edits by their time, deletions by the list of the gone."""
    gone = [int(shop_id) for shop_id in client.get().smembers(keys.DELETED())]
    edited = Shop.objects.filter(updated_at__gte=since).values_list("pk", flat=True)
    for some in batches.chunked(gone, BATCH_SIZE):
        geo_index.remove_shops(some)
    for some in batches.chunked(edited.iterator(), BATCH_SIZE):
        geo_index.sync(some)
