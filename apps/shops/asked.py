"""From what a request says to a Query, and from what went wrong to a refusal with a code."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.problems import Problem
from apps.redis_kit import cache_loads, paging
from apps.shops import areas, detail, keys, nearby
from apps.shops.models import Shop, ShopType
from apps.shops.query import RADIUS, Query, Sort

Answer = TypeVar("Answer")


def query(
    *,
    kind: int | None = None,
    at: tuple[float | None, float | None] = (None, None),
    radius_m: int | None = None,
    box: tuple[float | None, ...] = (),
    sort: Sort | None = None,
) -> Query:
    """`at` is (lat, lng), `box` (south, west, north, east); 422 when a part is missing or off the map."""
    try:
        place, window = _point(at), _box(box)
        located = place or window
        return Query(
            kind=kind or keys.ALL,
            at=place,
            radius_m=RADIUS if radius_m is None else radius_m,
            box=window,
            sort=sort or (Sort.DISTANCE if located else Sort.POPULAR),
        )
    except areas.BadArea as error:
        raise Problem(422, "invalid", str(error)) from error


def kind(named: int | str | None) -> int | None:
    """A type's id, given as that or as its slug; 422 for a slug that no type has."""
    if not isinstance(named, str):
        return named
    found = ShopType.objects.filter(slug=named).values_list("pk", flat=True).first()
    if found is None:
        raise Problem(422, "invalid", _("There is no such type of shop."))
    return found


def page(wanted: Query, *, cursor: str = "", size: int = nearby.PAGE) -> nearby.Page:
    """The page, or 400 bad_cursor, or 503 busy."""
    try:
        return _loaded(lambda: nearby.page(wanted, cursor=cursor, size=size))
    except paging.BadCursor as error:
        raise Problem(
            400, "bad_cursor", _("This list has changed. Start again from its first page.")
        ) from error


def shop(shop_id: int) -> Shop:
    """A listed shop, or 404, or 503 busy."""
    found = _loaded(lambda: detail.get(shop_id))
    if found is None:
        raise Problem(404, "not_found", _("This shop is not here, or no longer."))
    return found


def _loaded(load: Callable[[], Answer]) -> Answer:
    try:
        return load()
    except cache_loads.Busy as error:
        sentence = _("Many people are looking right now. Try again in a moment.")
        raise Problem(503, "busy", sentence, retry_after=error.retry_after) from error


def _point(at: tuple[float | None, float | None]) -> areas.Point | None:
    lat, lng = at
    if lat is None and lng is None:
        return None
    if lat is None or lng is None:
        raise areas.BadArea("lat and lng go together")
    return areas.Point(lat, lng)


def _box(sides: tuple[float | None, ...]) -> areas.Box | None:
    given = [side for side in sides if side is not None]
    if not given:
        return None
    if len(given) != 4:
        raise areas.BadArea("south, west, north and east go together")
    return areas.Box(*given)
