"""What the list and the map show: the reader's choices, the page they lead to, and links to other choices."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.problems import Problem
from apps.shops import asked, cards, cities, nearby, where
from apps.shops.models import ShopType
from apps.shops.query import Query, Sort

SORTS = (
    (Sort.DISTANCE, _("Nearest")),
    (Sort.RATING, _("Best rated")),
    (Sort.POPULAR, _("Popular")),
    (Sort.PRICE, _("Price")),
)
#: A page's circle: far enough to fill it, near enough to walk or ride.
RADIUS = 10_000
SIDES = ("south", "west", "north", "east")


@dataclass(frozen=True)
class Choice:
    """What the address of a page says; wrong values are refused with 404 or 422."""

    place: where.Where
    types: list[ShopType]
    kind: ShopType | None
    query: Query
    cursor: str
    #: Choices that the form of the place keeps: (name, value).
    kept: tuple[tuple[str, str], ...]
    #: All that the address says.
    given: QueryDict

    @cached_property
    def beside_type(self) -> str:
        """What a link to another type keeps of the address."""
        return _beside(self.given, "type")

    @cached_property
    def beside_sort(self) -> str:
        """What a link to another order keeps of it."""
        return _beside(self.given, "sort")

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The cities to choose from: (value, name)."""
        return tuple((city.slug, str(city.name)) for city in cities.CITIES)

    @property
    def kinds(self) -> tuple[tuple[str, str, str], ...]:
        """The types to choose from: (slug, icon, name)."""
        return tuple((kind.slug, kind.icon, kind.label) for kind in self.types)


def chosen(request: HttpRequest) -> Choice:
    """Types are one query."""
    types = list(ShopType.objects.all())
    place, kind = where.of(request), _kind(request.GET.get("type", ""), types)
    query = asked.query(
        kind=kind.pk if kind else None,
        at=(place.at.lat, place.at.lng),
        radius_m=RADIUS,
        box=_box(request.GET),
        sort=_sort(request.GET.get("sort", "")),
    )
    kept = tuple((name, request.GET[name]) for name in ("type", "sort") if name in request.GET)
    return Choice(place, types, kind, query, request.GET.get("cursor", ""), kept, request.GET)


def shown(request: HttpRequest, *, size: int = nearby.PAGE) -> dict[str, Any]:
    """The context of a page of shops."""
    choice = chosen(request)
    page = asked.page(choice.query, cursor=choice.cursor, size=size)
    return {
        "choice": choice,
        "cards": cards.of(page.items),
        "sorts": SORTS,
        "next_url": _address(request, choice.place, cursor=page.next) if page.next else "",
    }


def _kind(slug: str, types: list[ShopType]) -> ShopType | None:
    if not slug:
        return None
    found = next((kind for kind in types if kind.slug == slug), None)
    if found is None:
        raise Http404(slug)
    return found


def _sort(name: str) -> Sort:
    try:
        return Sort(name or Sort.DISTANCE)
    except ValueError as error:
        raise Problem(422, "invalid", gettext("Shops can't be sorted that way.")) from error


def _box(given: QueryDict) -> tuple[float | None, ...]:
    try:
        return tuple(float(str(given[side])) if given.get(side) else None for side in SIDES)
    except (ValueError, OverflowError) as error:
        raise Problem(422, "invalid", gettext("This is not a part of the map.")) from error


def _beside(given: QueryDict, name: str) -> str:
    """The other choices; a page of another list has another cursor."""
    others = given.copy()
    for gone in (name, "cursor"):
        others.pop(gone, None)
    return others.urlencode()


def _address(request: HttpRequest, place: where.Where, **changes: str) -> str:
    # The place goes along: a cursor belongs to it, and the cookie may say another one by then.
    here = {"lat": str(place.at.lat), "lng": str(place.at.lng)} if place.is_exact else {"city": place.chosen}
    changed = request.GET.copy()
    for name, value in (here | changes).items():
        changed[name] = value
    return f"{request.path}?{changed.urlencode()}"
