"""Rebuilds the GEO index from SQL, filled beside the old one and then swapped, and compares the two."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
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
BATCH_SHOPS = 500
#: The 52 bits of a GEO score tell places apart that are half a metre from each other.
TOLERANCE_DEGREES = 0.000_01
NOTHING = "nothing"


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


def compare(fix: bool, after: int = 0) -> Iterator[tuple[int, Iterable[Finding]]]:
    """Yield the differences of shops past the id `after`, each checked twice, and of strangers at the end.

    An index that was never built is no difference: SQL answers.
    """
    indexes = [keys.ALL_TYPES, *ShopType.objects.order_by("pk").values_list("pk", flat=True)]
    index_keys = [keys.INDEX_COMPLETE(), keys.FACTS(), *(keys.GEO(type=index) for index in indexes)]
    exists = transport.execute_many(client.get(), [("EXISTS", key) for key in index_keys])
    if not any(exists):
        return
    if not exists[0]:
        if fix:
            rebuild()
        yield after, [Finding("index", "complete", NOTHING, "number of shops")]
        return
    for shop_ids in batches.iter_pk_chunks(Shop.objects.all(), BATCH_SHOPS, after=after):
        yield shop_ids[-1], _check_shops(shop_ids, indexes, fix=fix)
    yield after, _check_strangers(indexes, fix=fix)


def _check_strangers(indexes: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    for orphans in _iter_unknown(indexes):
        yield from _remove_strangers(orphans, indexes, fix=fix)


def _check_shops(shop_ids: Sequence[int], indexes: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    # Two comparisons: a shop that is edited during one of them differs in that one only.
    suspects = {shop_id for shop_id, _finding in _compare(shop_ids, indexes)}
    wrong = list(_compare(sorted(suspects), indexes))
    if fix and wrong:
        shops = Shop.objects.in_bulk({shop_id for shop_id, _finding in wrong})
        # Out first: an index that pretends to have a newer version would refuse the row's.
        _remove(list(map(str, shops)), indexes)
        geo_index.put_shops(shops.values())
    for _shop_id, finding in wrong:
        yield finding


def _compare(shop_ids: Sequence[int], indexes: Sequence[int]) -> Iterator[tuple[int, Finding]]:
    if not shop_ids:
        return
    # Redis first: what SQL says afterwards may be newer, which the second comparison sees.
    members = list(map(str, shop_ids))
    facts, *positions = transport.execute_many(
        client.get(),
        [
            ("HMGET", keys.FACTS(), *members),
            *(("GEOPOS", keys.GEO(type=index), *members) for index in indexes),
        ],
    )
    shops = Shop.objects.in_bulk(shop_ids)
    for place, shop_id in enumerate(shop_ids):
        if shop_id in shops:
            found = {index: row[place] for index, row in zip(indexes, positions, strict=True) if row[place]}
            for finding in _differences(shops[shop_id], facts[place], found):
                yield shop_id, finding


def _differences(shop: Shop, facts: str | None, places: dict[int, Any]) -> Iterator[Finding]:
    expected, owner = geo_index.encode_facts(shop), f"shop {shop.pk}"
    if facts != expected:
        yield Finding(owner, "facts", facts or NOTHING, expected)
    is_shown = shop.is_listed and geo_index.on_map(shop)
    wanted = {keys.ALL_TYPES, shop.type_id} if is_shown else set[int]()
    if set(places) != wanted:
        yield Finding(owner, "indexes", _list(places), _list(wanted))
    for index, (lng, lat) in places.items():
        lng_off, lat_off = abs(float(lng) - geo_index.index_lng(shop)), abs(float(lat) - shop.lat)
        if max(lng_off, lat_off) > TOLERANCE_DEGREES:
            yield Finding(owner, f"place in index {index}", f"{lat}, {lng}", f"{shop.lat}, {shop.lng}")


def _list(indexes: Any) -> str:
    return ", ".join(map(str, sorted(indexes))) or NOTHING


def _iter_unknown(indexes: Sequence[int]) -> Iterator[list[str]]:
    """Members of the facts and indexes that are the id of no row, in lists."""
    redis = client.get()
    parts = [(str(member) for member, _score in redis.zscan_iter(keys.GEO(type=index))) for index in indexes]
    parts.append(str(field) for field, _facts in redis.hscan_iter(keys.FACTS()))
    for members in parts:
        for some in batches.chunked(members, BATCH_SHOPS):
            numbers = [int(one) for one in some if _is_id(one)]
            known = set(map(str, Shop.objects.filter(pk__in=numbers).values_list("pk", flat=True)))
            if unknown := [one for one in some if one not in known]:
                yield unknown


def _is_id(member: str) -> bool:
    return member.isascii() and member.isdigit() and len(member) < 19


def _remove_strangers(members: list[str], indexes: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    for member in members:
        yield Finding(f"shop {member}", "row", "indexed", NOTHING)
    if fix:
        _remove(members, indexes)


def _remove(members: Sequence[str], indexes: Sequence[int]) -> None:
    commands = [("ZREM", keys.GEO(type=index), *members) for index in indexes]
    transport.execute_many(client.get(), [*commands, ("HDEL", keys.FACTS(), *members)])
