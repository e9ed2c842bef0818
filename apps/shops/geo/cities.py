"""The open cities, as this process knows them: at most five seconds old, and no query for most requests.

    cities.read()               (Hangzhou, Shanghai)
    cities.find("shanghai")     Shanghai, or None
    cities.choices()            (Hangzhou, Shanghai, all cities)
    cities.first()              where a newcomer starts: Hangzhou, or on a site without cities UNNAMED

An event loop, which must not wait for SQL, looks at `are_known` first.
"""

import asyncio
import time
from typing import NamedTuple

from django.db.models import Max, Min, Q

from apps.accounts import city_names
from apps.shops import areas, shop_hours
from apps.shops.models import City, Shop
from apps.web import characters

#: Seconds after which a process reads the table again: another process may have written it.
FRESH_SECONDS = 5.0
#: Metres around a city's centre that its bounds have unless somebody writes others.
DEFAULT_RADIUS_M = 10_000
MAX_RADIUS_KM = areas.MAX_RADIUS_M // 1_000


class _Copy(NamedTuple):
    cities: tuple[City, ...]
    first: City
    everywhere: City | None
    read_at: float


_copy: _Copy | None = None


def read() -> tuple[City, ...]:
    """The open cities in their order."""
    return _read_copy().cities


def choices() -> tuple[City, ...]:
    """What readers choose from: each open city, and if there are several also all together."""
    copy = _read_copy()
    return (*copy.cities, copy.everywhere) if copy.everywhere else copy.cities


def everywhere() -> City | None:
    """All cities together, as one that is no row; None on a site with fewer than two."""
    return _read_copy().everywhere


def first() -> City:
    """The city in which newcomers start: without any the unnamed one, which lies around all shops."""
    return _read_copy().first


def find(slug: str) -> City | None:
    """The open city of a slug, or all open cities together."""
    return next((city for city in choices() if city.slug == slug), None)


def find_by_name(name: str) -> City | None:
    """The open city that has this name in one of the languages, or as its slug."""
    wanted = characters.fold(name)
    for city in read() if wanted else ():
        if wanted in (city.slug, *map(characters.fold, (city.name_en, city.name_zh))):
            return city
    return None


def find_written(text: str) -> City | None:
    """The open city that a person wrote, in either language: that of a profile."""
    return next(filter(None, map(find_by_name, city_names.spellings(text))), None)


def shop_condition(city: City | None) -> Q:
    """The condition on rows with a `shop` that it lies in a city; all rows for None and everywhere."""
    if city is None or city.is_everywhere:
        return Q()
    box = city.bounds
    return Q(shop__lat__range=(box.south, box.north), shop__lng__range=(box.west, box.east))


def nearest(at: areas.Point) -> City:
    """The open city whose centre is nearest; on a site without cities the unnamed one."""
    return min(read(), key=lambda city: at.distance(city.centre), default=first())


def are_known() -> bool:
    """Whether `read` may be called: false in an event loop whose process has not read them yet."""
    return _copy is not None or not _is_in_loop()


def forget() -> None:
    """Have the next reader in this process ask SQL."""
    global _copy
    _copy = None
    shop_hours.forget()


def _read_copy() -> _Copy:
    global _copy
    copy = _copy
    # In an event loop an old copy does: Django's threads, which make the documents, read it again.
    if copy is None or (time.monotonic() - copy.read_at > FRESH_SECONDS and not _is_in_loop()):
        read_at = time.monotonic()
        rows = list(City.objects.all())
        shop_hours.keep_calendars(rows)
        cities = tuple(city for city in rows if city.is_open)
        all_of_them = _build_everywhere(cities) if len(cities) > 1 else None
        _copy = copy = _Copy(cities, cities[0] if cities else _build_unnamed(), all_of_them, read_at)
    return copy


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _build_everywhere(cities: tuple[City, ...]) -> City:
    """The cities as one: a box around all, with the centre where newcomers start."""
    return City(
        slug=City.ALL,
        name_en="all cities",
        name_zh="所有城市",
        lat=cities[0].lat,
        lng=cities[0].lng,
        south=min(city.south for city in cities),
        west=min(city.west for city in cities),
        north=max(city.north for city in cities),
        east=max(city.east for city in cities),
    )


def _build_unnamed() -> City:
    """The city of a site that has no city rows: no slug, and bounds around its listed shops."""
    city = City(slug="", name_en="your city", name_zh="你的城市", lat=0.0, lng=0.0)
    sides = Shop.objects.open_to_public().aggregate(Min("lat"), Max("lat"), Min("lng"), Max("lng"))
    if sides["lat__min"] is not None:
        city.lat = (sides["lat__min"] + sides["lat__max"]) / 2
        city.lng = (sides["lng__min"] + sides["lng__max"]) / 2
    city.set_bounds_around(areas.MAX_RADIUS_M)
    return city
