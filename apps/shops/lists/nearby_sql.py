"""Lists of shops from SQL: while Redis is away, and where many shops are to be read or compared."""

from apps.shops import areas
from apps.shops.lists.query import SORT_FIELDS, Query
from apps.shops.models import Shop, ShopQuerySet
from apps.web import paging

#: Metres of the first circle; the next is twice as wide.
FIRST_RADIUS_M = 400.0
#: Rows one circle may read: past it the list is as good as it gets without the index.
MAX_ROWS = 20_000
#: As long as this walk takes (14 ms of SQLite on a busy machine) takes the sorting of the 4,000 shops of a
#: window, of 200,000, in which it doesn't find a page.
WALKED_SHOPS = 2_000


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
    """The first `wanted` of shops in a square that are in the circle too: 78 % of them are."""
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
