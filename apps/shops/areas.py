"""Points, boxes and distances on the globe, as Redis GEO computes them."""

from dataclasses import dataclass
from math import asin, cos, degrees, isfinite, pi, radians, sin, sqrt
from typing import Self

#: Metres; Redis's own value, so that SQL and Redis agree on who is in a circle.
EARTH_RADIUS_M = 6_372_797.560856
#: Metres between two places that can't be farther apart.
HALF_WAY_ROUND_M = pi * EARTH_RADIUS_M
#: GEO knows no latitude beyond it (Web Mercator).
MAX_LATITUDE = 85.05
MAX_RADIUS_M = 50_000
#: Degrees east or west that a window may be counted to, ten times round.
MAX_UNWRAPPED = 3_780.0


class BadArea(ValueError):  # noqa: N818 - says what it is
    """A point, box or radius that is not on the map; `field` is the parameter that is wrong."""

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.field = field


def distance_metres(lat: float, lng: float, to_lat: float, to_lng: float) -> float:
    """Metres along the great circle (haversine) between two points in degrees."""
    north, east = radians(to_lat - lat) / 2, radians(to_lng - lng) / 2
    chord = sin(north) ** 2 + cos(radians(lat)) * cos(radians(to_lat)) * sin(east) ** 2
    return 2 * EARTH_RADIUS_M * asin(sqrt(min(1.0, chord)))


@dataclass(frozen=True)
class Point:
    """Degrees; BadArea when it is not a finite point between 85.05 south and north."""

    lat: float
    lng: float

    def __post_init__(self) -> None:
        if not (isfinite(self.lat) and isfinite(self.lng)):
            raise BadArea("latitude and longitude must be finite numbers", "lat")
        if abs(self.lat) > MAX_LATITUDE or abs(self.lng) > 180:
            raise BadArea("latitude goes from -85.05 to 85.05, longitude from -180 to 180", "lat")

    def distance(self, other: "Point") -> float:
        """Metres along the great circle."""
        return distance_metres(self.lat, self.lng, other.lat, other.lng)


@dataclass(frozen=True)
class Box:
    """A map window, degrees; BadArea when it is empty, upside down or crosses the date line."""

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        Point(self.south, self.west), Point(self.north, self.east)
        if self.south >= self.north or self.west >= self.east:
            raise BadArea("south must be below north, and west left of east", "south")

    @classmethod
    def around(cls, at: Point, radius_m: float) -> Self:
        """A window that holds a circle, cut at GEO's edge; across the date line it goes all the way round."""
        windows = cls.all_around(at, radius_m)
        return windows[0] if len(windows) == 1 else cls(windows[0].south, -180.0, windows[0].north, 180.0)

    @classmethod
    def all_around(cls, at: Point, radius_m: float) -> "tuple[Self, ...]":
        """The windows that hold a circle, cut at GEO's edge: two where it crosses the date line."""
        up = degrees(radius_m / EARTH_RADIUS_M) * 1.001
        widest = min(89.9, abs(at.lat) + up)
        aside = up / cos(radians(widest))
        west, east = at.lng - aside, at.lng + aside
        south, north = max(-MAX_LATITUDE, at.lat - up), min(MAX_LATITUDE, at.lat + up)
        if aside >= 180:
            return (cls(south, -180.0, north, 180.0),)
        if west < -180:
            return cls(south, -180.0, north, east), cls(south, west + 360, north, 180.0)
        if east > 180:
            return cls(south, west, north, 180.0), cls(south, -180.0, north, east - 360)
        return (cls(south, west, north, east),)

    @property
    def centre(self) -> Point:
        return Point((self.south + self.north) / 2, (self.west + self.east) / 2)

    @property
    def parts(self) -> "tuple[Box, ...]":
        """The boxes that it is, each on one side of the date line."""
        return (self,)

    @property
    def width(self) -> float:
        """Degrees from its west to its east."""
        return self.east - self.west

    @property
    def reach_m(self) -> float:
        """Metres from the centre within which all of the window lies."""
        if self.width > 180:
            return HALF_WAY_ROUND_M
        corners = (Point(lat, self.west) for lat in (self.south, self.north))
        return max(self.centre.distance(corner) for corner in corners) + 1

    def contains(self, lat: float, lng: float) -> bool:
        return self.south <= lat <= self.north and self.west <= lng <= self.east


class Crossing(Box):
    """A window across the date line: its west lies east of its east, as 179 and -179."""

    def __post_init__(self) -> None:
        Point(self.south, self.west), Point(self.north, self.east)
        # A wider one is two sides that were mixed up.
        if self.south >= self.north or self.west <= self.east or self.width > 180:
            raise BadArea("south must be below north, and west left of east", "south")

    @property
    def width(self) -> float:
        return self.east - self.west + 360

    @property
    def centre(self) -> Point:
        return Point((self.south + self.north) / 2, _wrap(self.west + self.width / 2))

    @property
    def parts(self) -> tuple[Box, ...]:
        sides = ((self.west, 180.0), (-180.0, self.east))
        return tuple(Box(self.south, west, self.north, east) for west, east in sides if west < east)

    def contains(self, lat: float, lng: float) -> bool:
        return any(part.contains(lat, lng) for part in self.parts)


def window(south: float, west: float, north: float, east: float) -> Box:
    """The window that a map shows; BadArea if it is none.

    Maps that are dragged round the globe count on: 170 to 190 is the same as 170 to -170, and -190 to -170.
    """
    if not (isfinite(west) and isfinite(east) and abs(west) <= MAX_UNWRAPPED and abs(east) <= MAX_UNWRAPPED):
        raise BadArea("longitude goes from -180 to 180, or on from there", "west")
    if east - west >= 360:
        return Box(south, -180.0, north, 180.0)
    if -180 <= west < east <= 180:
        return Box(south, west, north, east)
    if west == east:
        raise BadArea("south must be below north, and west left of east", "south")
    west, east = _wrap(west), _wrap(east)
    # The date line itself is the edge of either side.
    if west == 180.0:
        west = -180.0
    if east == -180.0:
        east = 180.0
    return Box(south, west, north, east) if west < east else Crossing(south, west, north, east)


def _wrap(lng: float) -> float:
    """A longitude between -180 and 180."""
    return lng if -180 <= lng <= 180 else (lng + 180) % 360 - 180
