"""The same lists from SQL alone, for when Redis is away or its index not complete: slower."""

from collections.abc import Callable
from typing import NamedTuple

from apps.shops import areas
from apps.shops.models import Shop
from apps.shops.query import FACTS, REACH, Query, Sort

#: Metres of the first circle; the next is twice as wide.
START = 400.0
#: Rows one circle may read: past it the list is as good as it gets without the index.
MOST_ROWS = 20_000


class Candidate(NamedTuple):
    distance: float
    id: int
    fact: int


def nearest(query: Query, *, past: float, past_id: int, wanted: int) -> list[tuple[int, float]]:
    """(shop id, metres) past the cursor, nearest first."""

    def after(found: list[Candidate]) -> list[Candidate]:
        return [one for one in found if (one.distance, one.id) > (past, past_id)]

    found = _widen(query, max(START, past * 1.05), enough=lambda some: len(after(some)) >= wanted)
    return [(one.id, one.distance) for one in sorted(after(found))[:wanted]]


def ranked(query: Query, *, past: tuple[int, int] | None, wanted: int) -> list[tuple[int, float]]:
    """(shop id, fact) past the cursor, best first, among the REACH nearest."""
    way = FACTS[query.sort][1]
    near = sorted(_widen(query, START, enough=lambda some: len(some) >= REACH))[:REACH]
    order = sorted((way * one.fact, way * one.id) for one in near)
    if past:
        order = [place for place in order if place > (way * past[0], way * past[1])]
    return [(way * shop_id, way * fact) for fact, shop_id in order[:wanted]]


def _widen(query: Query, radius: float, *, enough: Callable[[list[Candidate]], bool]) -> list[Candidate]:
    while True:
        radius = min(radius, query.limit_m)
        found = _inside(query, radius)
        if radius >= query.limit_m or enough(found):
            return found
        radius *= 2


def _inside(query: Query, radius: float) -> list[Candidate]:
    centre = query.centre
    assert centre, "a list around a place"
    field = "rating" if query.sort is Sort.DISTANCE else FACTS[query.sort][0]
    shops = Shop.objects.open_to_public().within(areas.Box.around(centre, radius))
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    if query.box:
        shops = shops.within(query.box)
    found = (
        Candidate(round(centre.distance(areas.Point(lat, lng)), 4), shop_id, fact)
        for shop_id, lat, lng, fact in shops.values_list("pk", "lat", "lng", field)[:MOST_ROWS]
    )
    return [one for one in found if one.distance <= radius]
