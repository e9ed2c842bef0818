"""The list and the map: the reader's choices, the page of shops, and links to other choices."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.shops.geo import cities, location
from apps.shops.lists import cards, facets, filter_form, nearby, query_params
from apps.shops.lists.filter_form import FilterForm
from apps.shops.lists.query import Query, Sort
from apps.shops.models import City, Shop, ShopType
from apps.web.problems import Problem

SORT_OPTIONS = (
    (Sort.DISTANCE, _("Nearest")),
    (Sort.RATING, _("Best rated")),
    (Sort.POPULAR, _("Popular")),
    (Sort.PRICE, _("Price")),
)
#: Choices that another city keeps, of the areas those that it has.
KEPT_NAMES = ("type", "sort", "price", "open", "voucher", "area")
#: The parameter by which the form of the place says which city the areas were chosen in.
CITY_BEFORE = "city_before"
BOX_SIDES = ("south", "west", "north", "east")


@dataclass(frozen=True)
class ListChoice:
    """The choices in a page's URL; wrong values are refused with 404 or 422."""

    place: location.Location
    types: list[ShopType]
    kind: ShopType | None
    query: Query
    cursor: str
    #: Choices that the form of the place keeps: (name, value).
    kept: tuple[tuple[str, str], ...]
    #: All that the address says, and the city: links made from it show any reader the same shops.
    given: QueryDict
    #: The shop that the list lies around, if the address names one.
    around: Shop | None = None

    @cached_property
    def query_without_type(self) -> str:
        """The query string for links to another type."""
        return filter_form.without(self.given, "type")

    @cached_property
    def query_without_sort(self) -> str:
        """The query string for links to another order."""
        return filter_form.without(self.given, "sort")

    @cached_property
    def form(self) -> FilterForm:
        """The filters, with a city's counts; one round trip."""
        counts = facets.read(self.place.city, self.query.kind)
        return filter_form.build(self.given, counts, counted=not (self.place.is_exact or self.query.box))

    @property
    def nearest_city(self) -> City | None:
        """Where a reader's own position leads; None for a city's list, and on a site without cities."""
        return self.place.city if self.place.is_exact and self.place.city.slug else None

    @property
    def query_of_city(self) -> str:
        """The query string for the same choices in the middle of the nearest city."""
        given = self.given.copy()
        given["city"] = self.place.city.slug
        return filter_form.without(given, *BOX_SIDES)

    @property
    def query_of_list(self) -> str:
        """The query string for the link from the map to the list."""
        return filter_form.without(self.given, *BOX_SIDES)

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The cities to choose from: (value, name)."""
        return list_places()

    @property
    def sorts(self) -> tuple[tuple[Sort, str | Promise], ...]:
        """The orders to choose from: (value, name); all cities have no middle to be near to."""
        is_placed = self.query.centre is not None
        return tuple(one for one in SORT_OPTIONS if is_placed or one[0] is not Sort.DISTANCE)

    @property
    def kinds(self) -> tuple[tuple[str, str, str], ...]:
        """The types to choose from: (slug, icon, name)."""
        return tuple((kind.slug, kind.icon, kind.name) for kind in self.types)


def list_places() -> tuple[tuple[str, str], ...]:
    """The cities that forms offer, and all cities together: (value, name)."""
    names = {City.ALL: gettext("All cities")}
    return tuple((city.slug, names.get(city.slug) or str(city.name)) for city in cities.choices())


def parse_choice(request: HttpRequest, *, is_map: bool = False) -> ListChoice:
    """The choices of a request, a map's of one city; types cost one query."""
    types = list(ShopType.objects.all())
    kind, around = _find_type(request.GET.get("type", ""), types), _find_shop(request.GET.get("shop", ""))
    place, given = location.from_request(request), request.GET.copy()
    if not (around or place.is_exact):
        given["city"] = place.chosen
    if around:
        place = location.beside(around)
    if is_map:
        place = location.in_one_city(place)
    at, sort = (place.at.lat, place.at.lng), _parse_sort(request.GET.get("sort", ""))
    if place.is_everywhere:
        sort = Sort.POPULAR if sort is Sort.DISTANCE else sort
    query = query_params.build_query(
        kind=kind.pk if kind else None,
        at=(None, None) if place.is_everywhere else at,
        radius_m=place.city.radius_m,
        box=_parse_box(request.GET),
        sort=sort,
        chosen=filter_form.parse(request.GET),
    )
    kept = tuple((name, value) for name in KEPT_NAMES for value in request.GET.getlist(name))
    if request.GET.get("area"):
        kept += ((CITY_BEFORE, place.city.slug),)
    cursor = request.GET.get("cursor", "")
    return ListChoice(place, types, kind, query, cursor, kept, given, around)


def context(
    request: HttpRequest,
    *,
    size: int = nearby.PAGE_SIZE,
    is_counted: bool = False,
    is_map: bool = False,
) -> dict[str, Any]:
    """The template context of a page of shops; `is_counted` adds how many there are, one round trip more."""
    choice = parse_choice(request, is_map=is_map)
    page = query_params.load_page(choice.query, cursor=choice.cursor, size=size)
    is_whole = not (page.next or choice.cursor)
    total = nearby.Total(len(page.items), is_exact=True) if is_whole else None
    return {
        "choice": choice,
        "total": query_params.count(choice.query) if is_counted and not is_whole else total,
        "cards": cards.build(page.items),
        "sorts": choice.sorts,
        "next_url": _page_url(request, choice.place, cursor=page.next) if page.next else "",
    }


def address_in_new_city(request: HttpRequest) -> str:
    """The address of the same choices in the city that was just chosen, with those areas that it has.

    "" when no city was chosen while areas were.
    """
    given = request.GET.copy()
    before = given.pop(CITY_BEFORE, None)
    if not before:
        return ""
    city = cities.find(given.get("city", ""))
    if city and before[-1] != city.slug:
        given.setlist("area", [name for name in given.getlist("area") if facets.has_area(city, name)])
    return f"{request.path}?{given.urlencode()}"


def address(request: HttpRequest) -> str:
    """The address of the list with these choices, without a cursor, empty parameters and a map's window."""
    given = request.GET.copy()
    for name in ("cursor", *BOX_SIDES):
        given.pop(name, None)
    for name, values in list(given.lists()):
        given.setlist(name, [value for value in values if value])
    return f"{request.path}?{given.urlencode()}" if given.urlencode() else request.path


def _find_type(slug: str, types: list[ShopType]) -> ShopType | None:
    if not slug:
        return None
    found = next((kind for kind in types if kind.slug == slug), None)
    if found is None:
        raise Http404(slug)
    return found


def _find_shop(named: str) -> Shop | None:
    if not named:
        return None
    if not (named.isascii() and named.isdigit() and len(named) < 19):
        raise Http404(named)
    return query_params.load_shop(int(named))


def _parse_sort(name: str) -> Sort:
    try:
        return Sort(name or Sort.DISTANCE)
    except ValueError as error:
        raise Problem(422, "invalid", gettext("Shops can't be sorted that way.")) from error


def _parse_box(given: QueryDict) -> tuple[float | None, ...]:
    try:
        return tuple(float(str(given[side])) if given.get(side) else None for side in BOX_SIDES)
    except (ValueError, OverflowError) as error:
        raise Problem(422, "invalid", gettext("This is not a part of the map.")) from error


def _page_url(request: HttpRequest, place: location.Location, **changes: str) -> str:
    changed = request.GET.copy()
    # The city goes along, since a cursor belongs to it and the cookie may say another one by then. The
    # reader's own position doesn't: addresses are written into logs. If it changes, the cursor is refused.
    if not place.is_exact:
        changed["city"] = place.chosen
    for name, value in changes.items():
        changed[name] = value
    return f"{request.path}?{changed.urlencode()}"
