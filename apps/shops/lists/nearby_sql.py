"""The nearby list from SQL alone, slower, for when Redis is away or its index incomplete."""

from typing import NamedTuple

from apps.shops import areas
from apps.shops.lists.query import SORT_FIELDS, Query, Sort
from apps.shops.models import Shop

#: Metres of the first circle; the next is twice as wide.
FIRST_RADIUS_M = 400.0
#: Rows one circle may read: past it the list is as good as it gets without the index.
MAX_ROWS = 20_000


class Candidate(NamedTuple):
    """(metres from the list's centre, shop id, sort value unless that is the distance)."""

    distance: float
    id: int
    fact: int


def find_candidates(query: Query, *, wanted: int, past: float) -> list[Candidate]:
    """Shops of the list, among them the `wanted` nearest that are more than `past` metres away."""
    radius = max(FIRST_RADIUS_M, past * 1.05)
    while True:
        radius = min(radius, query.limit_m)
        found = _candidates_inside(query, radius)
        if radius >= query.limit_m or sum(one.distance > past for one in found) >= wanted:
            return found
        radius *= 2


def _candidates_inside(query: Query, radius: float) -> list[Candidate]:
    centre = query.centre
    assert centre, "a list around a place"
    field = "rating" if query.sort is Sort.DISTANCE else SORT_FIELDS[query.sort][0]
    shops = Shop.objects.open_to_public().within(*areas.Box.all_around(centre, radius))
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    shops = shops.filter(query.filters.to_sql())
    if query.box:
        shops = shops.within(query.box)
    found = (
        Candidate(round(centre.distance(areas.Point(lat, lng)), 4), shop_id, fact)
        for shop_id, lat, lng, fact in shops.values_list("pk", "lat", "lng", field)[:MAX_ROWS]
    )
    return [one for one in found if one.distance <= radius]
