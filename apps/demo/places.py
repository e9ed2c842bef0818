"""Two real cities for the demo's shops, from texts/places.toml: quarters, streets, water, words for names."""

from dataclasses import dataclass
from random import Random
from typing import Any

from apps.demo import texts
from apps.demo.texts import TextPair
from apps.shops.areas import Box

#: Metres in a degree of latitude, and in a degree of longitude at the cities' latitude (about 31 north).
METRES_NORTH, METRES_EAST = 111_226, 95_700


@dataclass(frozen=True)
class Area:
    """A quarter: its centre in degrees, and `spread`, the standard deviation of its shops in metres."""

    name: TextPair
    lat: float
    lng: float
    spread: int
    streets: tuple[TextPair, ...]


@dataclass(frozen=True)
class City:
    slug: str
    name: TextPair
    dialling: str
    lat: float
    lng: float
    areas: tuple[Area, ...]
    flavours: tuple[TextPair, ...]
    #: Boxes that roughly cover lakes and rivers; no shop is placed in them.
    water: tuple[Box, ...]


def _read_city(slug: str, row: dict[str, Any]) -> City:
    areas = (
        Area(texts.pair(one["name"]), one["lat"], one["lng"], one["spread"], texts.pairs(one["streets"]))
        for one in row["areas"]
    )
    return City(
        slug,
        texts.pair(row["name"]),
        row["dialling"],
        row["lat"],
        row["lng"],
        tuple(areas),
        texts.pairs(row["flavours"]),
        tuple(Box(*corners) for corners in row["water"]),
    )


CITIES = tuple(_read_city(slug, row) for slug, row in texts.read("places").items())


def random_point(city: City, area: Area, chance: Random, *, wider: float = 1.0) -> tuple[float, float]:
    """Return a random (lat, lng) in the quarter, outside the city's water; `wider` multiplies the spread."""
    for _ in range(8):
        lat = area.lat + chance.gauss(0, area.spread * wider) / METRES_NORTH
        lng = area.lng + chance.gauss(0, area.spread * wider) / METRES_EAST
        if not any(box.south <= lat <= box.north and box.west <= lng <= box.east for box in city.water):
            return round(lat, 6), round(lng, 6)
    return area.lat, area.lng
