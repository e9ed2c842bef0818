"""Compares the GEO index of shops in Redis with SQL's rows: facts, indexes by type, and places."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.shops import keys
from apps.shops.geo import geo_index, rebuilding
from apps.shops.models import Shop, ShopType
from apps.web import batches

BATCH_SHOPS = 500
#: The 52 bits of a GEO score tell places apart that are half a metre from each other.
TOLERANCE_DEGREES = 0.000_01
NOTHING = "nothing"


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
            rebuilding.rebuild()
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
