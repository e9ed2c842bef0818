"""Shops near a place, or of a map window, page by page in a stable order, exact to its end.

By distance, Redis opens quarters of the map, nearest first. By rating, popularity or price it compares all
shops of the circle or window if they are few (query.MAX_COMPARED_SHOPS). Shops that the filters exclude are
read and passed over, query.MAX_READ_SHOPS at most. What would keep Redis for longer, SQL is asked. Measured
at 1,000,000 shops: docs/performance.md.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import nsmallest
from typing import NamedTuple, cast

from apps.redis_kit import cache, client, scripts
from apps.shops import areas, keys
from apps.shops.lists import rows
from apps.shops.lists.query import MAX_COMPARED_SHOPS, MAX_READ_SHOPS, SORT_FIELDS, Query, Sort
from apps.shops.models import Shop, ShopQuerySet
from apps.web import paging

PAGE_SIZE = 20
#: Shops up to which a list is counted: what a search compares.
MAX_COUNTED_SHOPS = MAX_COMPARED_SHOPS
#: Shops that one command of Redis gathers, so that it takes less than a millisecond; others come between.
MAX_GATHERED_SHOPS = 40
#: (sort value, shop id), both negative where the largest comes first: rows of a list ascend by it.
Position = tuple[float, int]
FIRST_POSITION: Position = (float("-inf"), 0)
#: Metres of the first circle; the next is twice as wide.
FIRST_RADIUS_M = 400.0
#: Rows one circle may read: past it the list is as good as it gets without the index.
MAX_ROWS = 20_000
#: As long as this walk takes (14 ms of SQLite on a busy machine) takes the sorting of the 4,000 shops of a
#: window, of 200,000, in which it doesn't find a page.
WALKED_SHOPS = 2_000


@dataclass(frozen=True)
class Page:
    """One page of shops, with distances where there is a centre, and the cursor of the next page."""

    items: Sequence[Shop | rows.ShopRow]
    next: str | None


class Total(NamedTuple):
    """How many shops a list has; not exact where it has more, or where counting them would take too long."""

    number: int
    is_exact: bool


class Found(NamedTuple):
    """The first places of a list after one; `frontier`: how far in metres a search got that ended early."""

    places: list[Position]
    frontier: float | None = None


def _parse_found(raw: str | None) -> Found | None:
    """What the script found; without the shops beyond the frontier, which the next search puts in order."""
    if raw is None:
        return None
    reply = json.loads(raw)
    frontier = float(reply["frontier"]) if reply["frontier"] >= 0 else None
    # An empty list of Lua's comes as {}.
    places = [(float(value), shop_id) for value, shop_id in reply["shops"]]
    return Found([one for one in places if frontier is None or one[0] < frontier], frontier)


GATHER_NEAR = scripts.Script("gather_near", package="apps.shops.lists", reply=_parse_found)


def load_page(query: Query, *, cursor: str = "", size: int = PAGE_SIZE) -> Page:
    """`size` shops after the cursor: one round trip, one query. Raises paging.BadCursor, cache.Busy."""
    centre = query.centre
    if centre is None:
        return _page_everywhere(query, cursor=cursor, size=size)
    after = cast(Position, paging.decode(cursor, (float, int), kind=query.name) if cursor else FIRST_POSITION)
    found = _find_places(query, after, size + 1)
    page_places = found.places[:size]
    return Page(_rows_in_order(page_places, centre), _next_cursor(query, found, size))


def count(query: Query) -> Total:
    """How many shops a list has, from Redis or else SQL. Raises cache.Busy."""
    if query.centre is None:
        number = len(_shops_everywhere(query).values_list("pk")[: MAX_COUNTED_SHOPS + 1])
        return Total(min(number, MAX_COUNTED_SHOPS), is_exact=number <= MAX_COUNTED_SHOPS)
    found = _find_places(replace(query, sort=Sort.DISTANCE), FIRST_POSITION, MAX_COUNTED_SHOPS + 1)
    is_exact = found.frontier is None and len(found.places) <= MAX_COUNTED_SHOPS
    return Total(min(len(found.places), MAX_COUNTED_SHOPS), is_exact)


def _shops_everywhere(query: Query) -> ShopQuerySet:
    shops = Shop.objects.open_to_public().filter(query.filters.to_sql())
    return shops.filter(type_id=query.kind) if query.kind else shops


def _page_everywhere(query: Query, *, cursor: str, size: int) -> Page:
    field, way = SORT_FIELDS[query.sort]
    sign = "-" if way < 0 else ""
    found = paging.fetch_page(
        _shops_everywhere(query).select_related("type"),
        order=(f"{sign}{field}", f"{sign}id"),
        types=(int, int),
        cursor=cursor,
        size=size,
    )
    return Page(found.items, found.next)


def _next_cursor(query: Query, found: Found, size: int) -> str | None:
    if len(found.places) > size:
        return paging.encode(*found.places[size - 1], kind=query.name)
    return None


def _find_places(query: Query, after: Position, wanted: int) -> Found:
    """The first places of the list after one; from Redis, or else SQL."""
    found = _find_in_redis(query, after, wanted)
    is_page = found and query.sort is Sort.DISTANCE and len(found.places) >= wanted
    is_whole = found and (is_page or found.frontier is None)
    return (
        found if found and is_whole else cache.load_limiter().run(partial(_find_in_sql, query, after, wanted))
    )


def _find_in_redis(query: Query, after: Position, wanted: int) -> Found | None:
    """None when Redis is away or the index is not complete."""
    places: list[Position] = []
    while True:
        size = min(MAX_GATHERED_SHOPS, wanted - len(places))
        found = _gather(query, places[-1] if places else after, size)
        if found is None:
            return None
        places += found.places
        if found.frontier is not None or len(found.places) < size or len(places) == wanted:
            return Found(places, found.frontier)


def _gather(query: Query, after: Position, wanted: int) -> Found | None:
    """So many places after one by one command; None when Redis is away or the index is not complete."""
    centre, (fact, way) = query.centre, query.order
    assert centre, "a list around a place"
    if query.box and len(query.box.parts) > 1:
        return None  # across the date line: SQL knows both sides
    box = [query.box.south, query.box.west, query.box.north, query.box.east] if query.box else []
    filters = json.dumps(query.filters.to_redis(), ensure_ascii=False)
    bounds: list[scripts.Arg] = [MAX_COMPARED_SHOPS, MAX_READ_SHOPS, filters]
    around = [centre.lng, centre.lat, query.limit_m]
    args: list[scripts.Arg] = [*around, wanted, fact, way, *after, *bounds, *box]
    named = [keys.GEO(type=query.kind), keys.FACTS(), keys.INDEX_COMPLETE()]
    try:
        return GATHER_NEAR(client.get(), keys=named, args=args)
    except client.UNAVAILABLE:
        return None


def _find_in_sql(query: Query, after: Position, wanted: int) -> Found:
    if query.sort is not Sort.DISTANCE:
        return Found(find_in_order(query, after=after, wanted=wanted))
    places = find_candidates(query, wanted=wanted, past=after[0])
    return Found(nsmallest(wanted, (place for place in places if place > after)))


def _rows_in_order(positions: Sequence[Position], centre: areas.Point) -> list[rows.ShopRow]:
    """The shops in that order, one query; one that was unlisted a moment ago is left out."""
    shop_ids = [abs(shop_id) for _, shop_id in positions]
    shops = rows.fetch_listed(shop_ids, centre)
    return [shops[shop_id] for shop_id in shop_ids if shop_id in shops]


def find_in_order(query: Query, *, after: tuple[float, int], wanted: int) -> list[tuple[float, int]]:
    """The first `wanted` places after one, as nearby.Position, of a list by rating, popularity or price.

    Where many shops lie inside, enough of the first WALKED_SHOPS of all shops do; else the few that do are
    found by their place and sorted.
    """
    centre, (field, way) = query.centre, SORT_FIELDS[query.sort]
    assert centre, "a list around a place"
    order = [("-" if way < 0 else "") + name for name in (field, "pk")]
    shops = Shop.objects.open_to_public().order_by(*order)
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    if after[1]:
        shops = shops.filter(paging.rows_after(order, [int(way * part) for part in after]))
    inside = _choose_inside(shops, query, centre, query.limit_m)
    walked = inside.filter(pk__in=shops.values("pk")[:WALKED_SHOPS])
    found = _first_in_circle(walked, query, centre, wanted)
    return found if len(found) == wanted else _first_in_circle(inside, query, centre, wanted)


def _first_in_circle(
    shops: ShopQuerySet, query: Query, centre: areas.Point, wanted: int
) -> list[tuple[float, int]]:
    """The first `wanted` shops of a square that are in the circle too, as 78 % are."""
    field, way = SORT_FIELDS[query.sort]
    found, start, step = list[tuple[float, int]](), 0, 2 * wanted
    while len(found) < wanted:
        read = list(shops.values_list(field, "pk", "lat", "lng")[start : start + step])
        found += [
            (float(way * value), way * shop_id)
            for value, shop_id, lat, lng in read
            if _metres(centre, lat, lng) <= query.limit_m
        ]
        if len(read) < step:
            break
        start += step
    return found[:wanted]


def find_candidates(query: Query, *, wanted: int, past: float) -> list[tuple[float, int]]:
    """(metres, shop id) of shops of the list, among them the `wanted` nearest farther than `past` metres."""
    radius = max(FIRST_RADIUS_M, past * 1.05)
    while True:
        radius = min(radius, query.limit_m)
        found = _candidates_inside(query, radius)
        if radius >= query.limit_m or sum(metres > past for metres, _shop_id in found) >= wanted:
            return found
        radius *= 2


def _candidates_inside(query: Query, radius: float) -> list[tuple[float, int]]:
    centre = query.centre
    assert centre, "a list around a place"
    shops = Shop.objects.open_to_public()
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    inside = _choose_inside(shops, query, centre, radius).values_list("pk", "lat", "lng")[:MAX_ROWS]
    found = ((_metres(centre, lat, lng), shop_id) for shop_id, lat, lng in inside)
    return [one for one in found if one[0] <= radius]


def _choose_inside(shops: ShopQuerySet, query: Query, centre: areas.Point, radius: float) -> ShopQuerySet:
    """Those in the square around a circle, and in the window if there is one, that pass the filters."""
    inside = shops.within(*areas.Box.all_around(centre, radius)).filter(query.filters.to_sql())
    return inside.within(*query.box.parts) if query.box else inside


def _metres(centre: areas.Point, lat: float, lng: float) -> float:
    """A distance as Redis has it, from its digits and in its steps: pages of a list may alternate."""
    return round(centre.distance(areas.Point(round(lat, 7), round(lng, 7))), 4)
