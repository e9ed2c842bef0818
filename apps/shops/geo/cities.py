"""The cities that a reader can choose when the browser doesn't tell its position."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.shops.areas import Point


@dataclass(frozen=True)
class City:
    slug: str
    name: str | Promise
    centre: Point


#: The first one is where a newcomer starts.
CITIES = (
    City("hangzhou", _("Hangzhou"), Point(30.2560, 120.1650)),
    City("shanghai", _("Shanghai"), Point(31.2304, 121.4737)),
)


def find(slug: str) -> City | None:
    return next((city for city in CITIES if city.slug == slug), None)


def nearest(at: Point) -> City:
    return min(CITIES, key=lambda city: at.distance(city.centre))
