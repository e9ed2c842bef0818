"""Shops near a place, or of a map window, page by page in a stable order.

By distance the list is exact to its end. By rating, popularity or price it orders at least query.REACH shops
of the asked type: all of the circle or window where there are no more, else those of the nearest streets.
Measured at 1,000,000 shops: docs/performance.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from typing import cast

from apps.redis_kit import cache_loads, client, paging, scripts
from apps.shops import areas, keys, nearby_sql
from apps.shops.models import Shop
from apps.shops.query import FACTS, REACH, Query, Sort

PAGE = 20
#: (sort value, shop id), both negative where the largest comes first: rows of a list ascend by it.
Place = tuple[float, int]


@dataclass(frozen=True)
class Page:
    """Some shops, with their distances where there is a centre, and the cursor of the next ones."""

    items: list[Shop]
    next: str | None


def _pairs(raw: list[str] | None) -> list[tuple[str, str]] | None:
    return None if raw is None else list(zip(raw[::2], raw[1::2], strict=True))


GATHER_NEAR = scripts.Script("gather_near", package="apps.shops", reply=_pairs)


def page(query: Query, *, cursor: str = "", size: int = PAGE) -> Page:
    """`size` shops after the cursor: one round trip, one query. Raises paging.BadCursor, cache_loads.Busy."""
    centre = query.centre
    if centre is None:
        return _everywhere(query, cursor=cursor, size=size)
    start = (-1.0 if query.sort is Sort.DISTANCE else float("-inf"), 0)
    after = cast(Place, paging.decode(cursor, (float, int), kind=query.name) if cursor else start)
    found = nsmallest(size + 1, (place for place in _places(query, after, size + 1) if place > after))
    shown = found[:size]
    further = paging.encode(*shown[-1], kind=query.name) if len(found) > size else None
    return Page(_rows(shown, centre), further)


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


def _places(query: Query, after: Place, wanted: int) -> Iterable[Place]:
    """Places of the list in no order, among them the first `wanted` after one; from Redis, or else SQL."""
    by_distance = query.sort is Sort.DISTANCE
    number, past = (wanted, after[0]) if by_distance else (REACH, -1.0)
    found = _gather(query, wanted=number, past=past)
    if found is None:
        ask = partial(nearby_sql.candidates, query, wanted=number, past=past)
        near = cache_loads.get().run(ask)
        return [one[:2] for one in near] if by_distance else _ranked(query, nsmallest(REACH, near))
    if by_distance:
        measured = (_measured(query, shop_id, facts) for shop_id, facts in found)
        return [place for place in measured if place]
    return _by_fact(query, found)


def _gather(query: Query, *, wanted: int, past: float) -> list[tuple[str, str]] | None:
    """(shop id, facts) of quarters of the map; None when Redis is away or the index is not complete."""
    centre, exact = query.centre, query.sort is Sort.DISTANCE
    assert centre, "a list around a place"
    box = [query.box.south, query.box.west, query.box.north, query.box.east] if query.box else []
    # A shop exactly at the limit must not fall to the last digit of one of two computations.
    args = [centre.lng, centre.lat, query.limit_m + 0.01, wanted, int(exact), past, *box]
    named = [keys.GEO(type=query.kind), keys.FACTS(), keys.COMPLETE()]
    try:
        return GATHER_NEAR(client.get(), keys=named, args=args)
    except client.UNAVAILABLE:
        return None


def _measured(query: Query, shop_id: str, facts: str) -> Place | None:
    """(metres, id), or None for a shop outside the circle or window, or whose facts were lost."""
    parts, centre = facts.lstrip("?").split(":"), query.centre
    if len(parts) != 7 or centre is None:
        return None
    lat, lng = float(parts[3]), float(parts[4])
    if query.box and not query.box.holds(lat, lng):
        return None
    metres = round(areas.metres(centre.lat, centre.lng, lat, lng), 4)
    return (metres, int(shop_id)) if metres <= query.limit_m else None


def _by_fact(query: Query, found: Iterable[tuple[str, str]]) -> Iterator[Place]:
    """Places by rating, popularity or price; only shops in doubt are measured."""
    field, way = list(FACTS).index(query.sort), FACTS[query.sort][1]
    for shop_id, facts in found:
        if facts and (facts[0] != "?" or _measured(query, shop_id, facts)):
            yield float(way * int(facts.lstrip("?").split(":", 3)[field])), way * int(shop_id)


def _ranked(query: Query, near: Iterable[nearby_sql.Candidate]) -> list[Place]:
    way = FACTS[query.sort][1]
    return [(float(way * one.fact), way * one.id) for one in near]


def _rows(shown: Sequence[Place], centre: areas.Point) -> list[Shop]:
    """The shops in that order, one query; one that was unlisted a moment ago is left out."""
    shop_ids = [abs(shop_id) for _, shop_id in shown]
    wanted = Shop.objects.open_to_public().select_related("type").filter(pk__in=shop_ids)
    shops = {shop.pk: shop for shop in wanted}
    for shop in shops.values():
        shop.distance_m = round(areas.metres(centre.lat, centre.lng, shop.lat, shop.lng))
    return [shops[shop_id] for shop_id in shop_ids if shop_id in shops]
