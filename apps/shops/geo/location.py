"""The place that a page shows shops around: from the request, else a cookie, else the city of the reader's
address, else the first open city.

A reader's place is kept only in the cookie: addresses are shared, kept in histories, and written into logs.
An address with `lat` and `lng`, as links of earlier releases have it, is redirected to itself without them.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.accounts.models import User
from apps.accounts.sessions import cookies, tokens
from apps.front.documents import variants
from apps.geoip import locating
from apps.shops import areas
from apps.shops.geo import cities
from apps.shops.models import City, Shop
from apps.web import client_address

COOKIE_NAME = "savor_where"
COOKIE_MAX_AGE = timedelta(days=30)


@dataclass(frozen=True)
class Location:
    """`chosen` is the cookie's value: a city's slug, or "lat,lng" to about 100 m when the browser sent it."""

    at: areas.Point
    city: City
    chosen: str
    is_new: bool = False

    @property
    def is_everywhere(self) -> bool:
        """Whether the reader has chosen all cities: `at` is then where newcomers start."""
        return self.chosen == City.ALL

    @property
    def is_exact(self) -> bool:
        """Whether this is the reader's own position and not a city's centre."""
        return "," in self.chosen

    def remember(self, response: HttpResponse) -> None:
        """Store the reader's choice in a cookie; the response becomes private to this reader."""
        response["Cache-Control"] = "private, no-cache"
        if self.is_new:
            response.set_cookie(
                COOKIE_NAME,
                self.chosen,
                max_age=COOKIE_MAX_AGE,
                httponly=False,  # static/js/place.js looks whether there is one
                samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
            )


def in_one_city(place: Location) -> Location:
    """The same place, and for all cities the first one: what a map shows."""
    return _city_location(cities.first(), is_new=False) if place.is_everywhere else place


def beside(shop: Shop) -> Location:
    """A shop's place, which is no choice of the reader's."""
    at = areas.Point(shop.lat, shop.lng)
    city = cities.nearest(at)
    return Location(at, city, city.slug)


def address_without_position(request: HttpRequest) -> str:
    """The address of this request without the reader's position; "" when it holds none."""
    given = request.GET.copy()
    if not (given.pop("lat", None) and given.pop("lng", None)):
        return ""
    return f"{request.path}?{given.urlencode()}" if given else request.path


def remember(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, which stores the place of the request's address in a cookie."""
    from_request(request).remember(response)
    return response


def from_request(request: HttpRequest) -> Location:
    """The location of this request."""
    lat, lng, city = (request.GET.get(name, "") for name in ("lat", "lng", "city"))
    for chosen in (f"{lat},{lng}", city):
        if found := _parse_location(chosen, is_new=True):
            return found
    chosen = request.META.get(variants.VARIABLE) or request.COOKIES.get(COOKIE_NAME, "")
    return _parse_location(chosen) or _city_location(city_of_address(request))


def read_city(chosen: str) -> str | None:
    """The city of a cookie's value, "" for the first one: the home page is a document for each city.

    None in an event loop that doesn't know the cities yet.
    """
    if not cities.are_known():
        return None
    found = _parse_location(chosen)
    return found.city.slug if found and found.city.slug != cities.first().slug else ""


def locate_city(address: str) -> str | None:
    """The city of an address as `read_city` names it; it may wait.

    None where no address chooses: on a site with fewer than two cities, or without a table of addresses.
    """
    if cities.everywhere() is None or not locating.has_table():
        return None
    city = _city_of_place(address)
    return "" if city == cities.first() else city.slug


def city_of_reader(request: HttpRequest) -> City:
    """What the profile of a browser's cookie says, all cities or one, or else the city of the address."""
    login = tokens.resolve(cookies.read_token(request))
    reader = User.objects.filter(pk=login.user_id, is_active=True).first() if login else None
    if reader is None:
        return city_of_address(request)
    chosen = cities.everywhere() if reader.shows_all_cities else None
    return chosen or cities.find_written(reader.city) or city_of_address(request)


def city_of_address(request: HttpRequest) -> City:
    """The city that a reader's address is in; the first one for an address elsewhere or unknown.

    A page that everybody gets is made without an address: who asks for it has chosen its variant.
    """
    return _city_of_place(client_address.client_ip(request))


def _city_of_place(address: str) -> City:
    place = locating.locate(address)
    names = (place.city, place.city_zh) if place else ()
    return next(filter(None, map(cities.find_by_name, names)), None) or cities.first()


def _parse_location(chosen: str, *, is_new: bool = False) -> Location | None:
    if city := cities.find(chosen):
        return _city_location(city, is_new=is_new)
    lat, _, lng = chosen[:40].partition(",")
    try:
        # Three decimals: near enough to sort by, and not somebody's front door in a cookie.
        at = areas.Point(round(float(lat), 3), round(float(lng), 3))
    except (ValueError, OverflowError):
        return None
    return Location(at, cities.nearest(at), f"{at.lat},{at.lng}", is_new)


def _city_location(city: City, *, is_new: bool = False) -> Location:
    return Location(city.centre, city, city.slug, is_new)
