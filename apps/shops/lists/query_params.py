"""Turns request parameters into a Query, and failures into problems with a code."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.redis_kit import cache
from apps.shops import areas, filters, keys, shop_cache
from apps.shops.filters import Filters, PriceRange
from apps.shops.geo import cities
from apps.shops.lists import nearby
from apps.shops.lists.query import DEFAULT_RADIUS_M, Query, Sort
from apps.shops.models import City, Shop, ShopType
from apps.web.problems import Problem

Answer = TypeVar("Answer")
#: Values of one filter, as in search.
MAX_CHOICES = 20


def build_query(
    *,
    kind: int | None = None,
    at: tuple[float | None, float | None] = (None, None),
    radius_m: int | None = None,
    box: tuple[float | None, ...] = (),
    sort: Sort | None = None,
    chosen: Filters | None = None,
) -> Query:
    """A Query; `at` is (lat, lng), `box` (south, west, north, east). Problem 422 for a wrong part."""
    try:
        place, window = _parse_point(at), _parse_box(box)
        located = place or window
        return Query(
            kind=kind or keys.ALL_TYPES,
            at=place,
            radius_m=DEFAULT_RADIUS_M if radius_m is None else radius_m,
            box=window,
            sort=sort or (Sort.DISTANCE if located else Sort.POPULAR),
            filters=chosen or Filters(),
        )
    except areas.BadArea as error:
        raise Problem(422, "invalid", str(error), field=error.field) from error


def build_filters(
    *,
    area_names: Sequence[str] = (),
    bands: Sequence[str] = (),
    price: tuple[int | None, int | None] = (None, None),
    open_now: bool = False,
    voucher: bool = False,
) -> Filters:
    """Filters of areas and price bands, or of a `price` (from, to) in minor units; Problem 422 if wrong."""
    if max(len(area_names), len(bands)) > MAX_CHOICES:
        raise Problem(422, "invalid", _("These are too many choices at once."))
    folded = dict.fromkeys(name for value in area_names for name in filters.fold_names(value))
    prices = [_parse_band(band) for band in dict.fromkeys(bands)]
    if price != (None, None):
        prices.append(_parse_price(*price))
    return Filters(tuple(folded), tuple(prices), open_now, voucher)


def type_id(named: int | str | None) -> int | None:
    """The id of a type named by id or slug; Problem 422 for one that isn't there."""
    if named is None:
        return None
    wanted = {"slug": named} if isinstance(named, str) else {"pk": named}
    found = ShopType.objects.filter(**wanted).values_list("pk", flat=True).first()
    if found is None:
        raise Problem(422, "invalid", _("There is no such type of shop."), field="type")
    return found


def find_city(slug: str) -> City:
    """A city of the site; Problem 422 for one that isn't there."""
    found = cities.find(slug)
    if found is None:
        known = ", ".join(city.slug for city in cities.read())
        raise Problem(422, "invalid", _("There is no such city. These are there: %s") % known, field="city")
    return found


def load_page(wanted: Query, *, cursor: str = "", size: int = nearby.PAGE_SIZE) -> nearby.Page:
    """One page of shops; BadCursor, Problem 503 busy."""
    return _load_or_busy(lambda: nearby.load_page(wanted, cursor=cursor, size=size))


def count(wanted: Query) -> nearby.Total:
    """How many shops a list has; Problem 503 busy."""
    return _load_or_busy(lambda: nearby.count(wanted))


def load_shop(shop_id: int) -> Shop:
    """A listed shop; Http404 when there is none, Problem 503 busy."""
    found = _load_or_busy(lambda: shop_cache.get(shop_id))
    if found is None:
        raise Problem(404, "not_found", _("This shop is not here, or no longer."))
    return found


def _load_or_busy(load: Callable[[], Answer]) -> Answer:
    try:
        return load()
    except cache.Busy as error:
        sentence = _("Many people are looking right now. Try again in a moment.")
        raise Problem(503, "busy", sentence, retry_after=error.retry_after) from error


def _parse_band(band: str) -> PriceRange:
    found = filters.band_range(band)
    if found is None:
        raise Problem(422, "invalid", _("There is no such band of prices."), field="price")
    return found


def _parse_price(least: int | None, most: int | None) -> PriceRange:
    """From `least` to `most` minor units, both included."""
    start, end = least or 0, filters.MAX_PRICE if most is None else most + 1
    if start >= end:
        raise Problem(422, "invalid", _("The lowest price must not be above the highest."), field="price_to")
    return start, end


def _parse_point(at: tuple[float | None, float | None]) -> areas.Point | None:
    lat, lng = at
    if lat is None and lng is None:
        return None
    if lat is None or lng is None:
        raise areas.BadArea("lat and lng go together", "lat")
    return areas.Point(lat, lng)


def _parse_box(sides: tuple[float | None, ...]) -> areas.Box | None:
    given = [side for side in sides if side is not None]
    if not given:
        return None
    if len(given) != 4:
        raise areas.BadArea("south, west, north and east go together", "south")
    return areas.window(*given)
