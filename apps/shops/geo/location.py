"""The place that a page shows shops around: from the request, else a cookie, else the city of the reader's
address, else the first city.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.geoip import locating
from apps.shops import areas
from apps.shops.geo import cities
from apps.web import client_address

COOKIE_NAME = "savor_where"
COOKIE_MAX_AGE = timedelta(days=30)


@dataclass(frozen=True)
class Location:
    """`chosen` is the cookie's value: a city's slug, or "lat,lng" to about 100 m when the browser told."""

    at: areas.Point
    city: cities.City
    chosen: str
    is_new: bool = False

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


def from_request(request: HttpRequest) -> Location:
    """The location of this request."""
    lat, lng, city = (request.GET.get(name, "") for name in ("lat", "lng", "city"))
    for chosen in (f"{lat},{lng}", city):
        if found := _parse_location(chosen, is_new=True):
            return found
    return _parse_location(request.COOKIES.get(COOKIE_NAME, "")) or _city_location(city_of_address(request))


def city_of_address(request: HttpRequest) -> cities.City:
    """The city that a reader's address is in; the first one for an address elsewhere or unknown.

    A page that everybody gets is made without an address, and so of the first city.
    """
    place = locating.locate(client_address.client_ip(request))
    return (cities.find(place.city.lower()) if place else None) or cities.CITIES[0]


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


def _city_location(city: cities.City, *, is_new: bool = False) -> Location:
    return Location(city.centre, city, city.slug, is_new)
