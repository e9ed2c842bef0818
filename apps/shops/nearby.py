"""Shops near a place, or of a map window, page by page in a stable order.

By distance the list is exact, down to query.DEEPEST shops. By rating, popularity or price it orders the
query.REACH nearest shops of the asked type inside the circle or window: all of them wherever there are no
more than that. Measured at 1,000,000 shops: docs/performance.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from apps.redis_kit import cache_loads, client, paging, scripts
from apps.shops import areas, keys, nearby_sql
from apps.shops.models import Shop
from apps.shops.query import DEEPEST, FACTS, REACH, Query, Sort

PAGE = 20
#: (shop id, what the list is sorted by: metres, tenths of a star, visits or fen)
Hit = tuple[int, float]


@dataclass(frozen=True)
class Page:
    """Some shops, with their distances where there is a centre, and the cursor of the next ones."""

    items: list[Shop]
    next: str | None


def _distances(raw: list[str] | None) -> list[Hit] | None:
    return None if raw is None else [(int(raw[i]), float(raw[i + 1])) for i in range(0, len(raw), 2)]


def _facts(raw: list[int] | None) -> list[Hit] | None:
    return None if raw is None else [(raw[i], raw[i + 1]) for i in range(0, len(raw), 2)]


FIND_NEAREST = scripts.Script("find_nearest", package="apps.shops", reply=_distances)
RANK_NEARBY = scripts.Script("rank_nearby", package="apps.shops", reply=_facts)


def page(query: Query, *, cursor: str = "", size: int = PAGE) -> Page:
    """`size` shops after the cursor: one round trip, one query. Raises paging.BadCursor, cache_loads.Busy."""
    if query.centre is None:
        return _everywhere(query, cursor=cursor, size=size)
    if query.sort is Sort.DISTANCE:
        return _nearest(query, query.centre, cursor=cursor, size=size)
    return _ranked(query, query.centre, cursor=cursor, size=size)


def _everywhere(query: Query, *, cursor: str, size: int) -> Page:
    shops = Shop.objects.open_to_public().select_related("type")
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    field, way = FACTS[query.sort]
    sign = "-" if way < 0 else ""
    found = paging.slice_after(
        shops, order=(f"{sign}{field}", f"{sign}id"), types=(int, int), cursor=cursor, size=size
    )
    return Page(found.items, found.next)


def _nearest(query: Query, centre: areas.Point, *, cursor: str, size: int) -> Page:
    start = (-1.0, 0, 0)
    after = paging.decode(cursor, (float, int, int), kind=query.name) if cursor else start
    past, past_id, seen = cast("tuple[float, int, int]", after)
    wanted = min(size, DEEPEST - seen) + 1
    hits = _from_redis(
        FIND_NEAREST,
        query,
        [keys.COMPLETE()],
        [centre.lng, centre.lat, query.limit_m, wanted, past, past_id],
    )
    if hits is None:
        ask = partial(nearby_sql.nearest, query, past=past, past_id=past_id, wanted=wanted)
        hits = cache_loads.get().run(ask)
    shown, seen = hits[: wanted - 1], seen + wanted - 1
    more = len(hits) == wanted and seen < DEEPEST
    further = paging.encode(shown[-1][1], shown[-1][0], seen, kind=query.name) if more else None
    return Page(_rows(shown, centre, distances=dict(shown)), further)


def _ranked(query: Query, centre: areas.Point, *, cursor: str, size: int) -> Page:
    after = paging.decode(cursor, (int, int), kind=query.name) if cursor else ("", 0)
    place, way = list(FACTS).index(query.sort), FACTS[query.sort][1]
    hits = _from_redis(
        RANK_NEARBY,
        query,
        [keys.FACTS(), keys.COMPLETE()],
        [centre.lng, centre.lat, query.limit_m, size + 1, REACH, place, way, *after],
    )
    if hits is None:
        past = cast("tuple[int, int]", after) if cursor else None
        ask = partial(nearby_sql.ranked, query, past=past, wanted=size + 1)
        hits = cache_loads.get().run(ask)
    shown = hits[:size]
    more = len(hits) > size
    further = paging.encode(int(shown[-1][1]), shown[-1][0], kind=query.name) if more else None
    return Page(_rows(shown, centre), further)


def _from_redis(
    script: scripts.Script[list[Hit] | None], query: Query, others: list[str], args: list[Any]
) -> list[Hit] | None:
    """None when Redis is away or its index is not complete: ask SQL."""
    box = [query.box.south, query.box.west, query.box.north, query.box.east] if query.box else []
    try:
        return script(client.get(), keys=[keys.GEO(type=query.kind), *others], args=[*args, *box])
    except client.UNAVAILABLE:
        return None


def _rows(
    hits: Sequence[Hit], centre: areas.Point, *, distances: dict[int, float] | None = None
) -> list[Shop]:
    """The shops in the list's order, one query; one that was unlisted a moment ago is left out."""
    wanted = Shop.objects.open_to_public().select_related("type").filter(pk__in=[hit[0] for hit in hits])
    shops = {shop.pk: shop for shop in wanted}
    for shop in shops.values():
        away = distances[shop.pk] if distances else centre.distance(areas.Point(shop.lat, shop.lng))
        shop.distance_m = round(away)
    return [shops[shop_id] for shop_id, _ in hits if shop_id in shops]
