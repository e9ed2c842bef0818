"""The validated query of a list of shops."""

from dataclasses import dataclass, field
from enum import StrEnum

from apps.shops import areas, keys
from apps.shops.filters import Filters

#: Shops that Redis compares for a list by rating, popularity or price; a larger list comes from SQL.
MAX_COMPARED_SHOPS = 120
#: Shops that Redis reads for a list, also where few pass the filters: claims wait for it meanwhile.
MAX_READ_SHOPS = 150
DEFAULT_RADIUS_M = 5_000


class Sort(StrEnum):
    DISTANCE = "distance"
    RATING = "rating"
    POPULAR = "popular"
    PRICE = "price"


#: The model's field, and 1 for smallest first or -1 for largest first; equal values go by id the same way.
SORT_FIELDS = {Sort.RATING: ("rating", -1), Sort.POPULAR: ("popularity", -1), Sort.PRICE: ("price", 1)}


@dataclass(frozen=True)
class Query:
    """`kind` is a shop type's id, 0 for all; a box (map window) wins over the circle around `at`.

    BadArea when the radius is not 1 to 50,000 m, or the sort is distance without a place.
    """

    kind: int = keys.ALL_TYPES
    at: areas.Point | None = None
    radius_m: int = DEFAULT_RADIUS_M
    box: areas.Box | None = None
    sort: Sort = Sort.DISTANCE
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        if not 1 <= self.radius_m <= areas.MAX_RADIUS_M:
            raise areas.BadArea("radius_m goes from 1 to 50000", "radius_m")
        if self.sort is Sort.DISTANCE and self.centre is None:
            raise areas.BadArea("sorting by distance needs lat and lng, or a box", "sort")

    @property
    def centre(self) -> areas.Point | None:
        """The point that distances start from: the middle of the box, or the given place."""
        return self.box.centre if self.box else self.at

    @property
    def limit_m(self) -> float:
        """Largest distance from the centre."""
        return self.box.reach_m if self.box else self.radius_m

    @property
    def order(self) -> tuple[int, int]:
        """(position of the sort value in the index's facts, 0 for distance; 1 ascending or -1 descending)."""
        if self.sort is Sort.DISTANCE:
            return 0, 1
        return 1 + list(SORT_FIELDS).index(self.sort), SORT_FIELDS[self.sort][1]

    @property
    def name(self) -> str:
        """The list's name inside cursors, so that a cursor of another list is refused."""
        return f"shops:{self}"
