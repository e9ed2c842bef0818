"""What a page of results shows: tabs, orders, filters with counts, hits, and ways on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts import auth
from apps.search.pages import parameters
from apps.search.pages.parameters import Choices
from apps.search.query import search
from apps.search.query import search as engine
from apps.search.query.search import PAGE_SIZE, FacetCount, SearchPage, SearchRequest
from apps.shops.geo import location
from apps.web.findable import KINDS, Kind

#: Hits of each kind on the tab of all kinds.
MAX_GROUP_HITS = 4
#: Values of a facet that are seen before "all of them" is opened.
MAX_FACET_VALUES = 12
#: In the order of the list; the engine knows others too.
ORDER_LABELS: Mapping[str, str | Promise] = {
    "relevance": _("Best match"),
    "distance": _("Nearest"),
    "ends": _("Ending soonest"),
    "popular": _("Most visited"),
    "rating": _("Best rated"),
    "votes": _("Most votes"),
    "comments": _("Most comments"),
    "newest": _("Newest"),
    "price": _("Cheapest"),
    "-price": _("Most expensive"),
    "name": _("Name"),
    "mix": _("Newest and most votes"),
}
FACET_LABELS: Mapping[str, str | Promise] = {
    "type": _("Type"),
    "price": _("Price"),
    "rating": _("Stars"),
    "area": _("Area"),
    "city": _("City"),
}
#: Facets that are there or not: their parameters and what people read.
TOGGLES: Mapping[str, tuple[str, str | Promise]] = {
    "open_now": ("open", _("Open now")),
    "voucher": ("voucher", _("Has a coupon")),
}
#: The facet of distances, which things without a place lack.
DISTANCE_FACET = "within_km"


class Tab(NamedTuple):
    label: str | Promise
    number: int
    url: str
    is_current: bool


class OrderChoice(NamedTuple):
    value: str
    label: str | Promise
    is_chosen: bool


class FilterGroup(NamedTuple):
    """The values of one facet; `name` is the parameter."""

    name: str
    label: str | Promise
    values: list[FacetCount]


class Toggle(NamedTuple):
    """A facet with one value; `name` is the parameter, `note` says when there will be one."""

    name: str
    label: str | Promise
    choice: FacetCount
    note: str


class Chip(NamedTuple):
    """A filter that is on, and the address without it."""

    label: str | Promise
    url: str


class HitGroup(NamedTuple):
    """The first hits of one kind, and where the others are."""

    name: str
    label: str | Promise
    page: SearchPage
    url: str


@dataclass(frozen=True)
class ResultPage:
    """A page of results; `groups` is filled on the tab of all kinds only."""

    choices: Choices
    page: SearchPage
    tabs: list[Tab]
    orders: list[OrderChoice]
    filters: list[FilterGroup]
    groups: list[HitGroup]
    place: location.Location

    @property
    def hit_count(self) -> int:
        return self.page.total if self.choices.kind else sum(self.page.kinds.values())

    @property
    def has_kinds(self) -> bool:
        """Whether a tab leads to hits, or filters may hide them: else there is nothing to choose."""
        return any(self.page.kinds.values())

    @property
    def notice(self) -> str:
        """Notices beside the number of hits; a list of all kinds has no pages that could end."""
        return search.describe_page(self.page) if self.choices.kind or self.page.is_wordless else ""

    @property
    def next_url(self) -> str:
        return self.choices.url(cursor=self.page.next) if self.page.next else ""

    @property
    def distances(self) -> list[FacetCount]:
        return self.page.facets.get(DISTANCE_FACET, [])

    @property
    def toggles(self) -> list[Toggle]:
        """Open now, has a voucher: where the kind has them."""
        return [
            Toggle(name, label, choices[0], "" if choices[0].number else choices[0].label)
            for facet, (name, label) in TOGGLES.items()
            if (choices := self.page.facets.get(facet))
        ]

    @property
    def chips(self) -> list[Chip]:
        """The filters that are on, in the order of the form."""
        choices = self.choices
        chips = [Chip(TOGGLES["open_now"][1], choices.url(is_open=False))] if choices.is_open else []
        chips += [
            Chip(one.label, choices.without(facet, one.value))
            for facet in parameters.FACETS
            for one in self.page.facets.get(facet, [])
            if one.is_chosen
        ]
        if choices.within_km:
            label = _("%(km)s km") % {"km": choices.within_km}
            chips.append(Chip(label, choices.url(within_km=None)))
        return chips


def build(request: HttpRequest, choices: Choices) -> ResultPage:
    """The page of the given choices; Problems of the engine (400, 422, 503) go through."""
    place, viewer_id = location.from_request(request), auth.viewer_id(request)
    wanted = build_request(choices, place, viewer_id, size=PAGE_SIZE if choices.kind else MAX_GROUP_HITS)
    pages = [engine.search(wanted)] if choices.kind else engine.search_kinds(wanted)
    page, kind = pages[0], KINDS.get(choices.kind)
    return ResultPage(
        choices,
        page,
        _build_tabs(choices, page),
        _build_orders(choices, kind, page) if kind else [],
        _build_filters(page) if kind else [],
        [] if choices.kind else _build_groups(choices, pages),
        place,
    )


def build_request(
    choices: Choices, place: location.Location, viewer_id: int | None, *, size: int = PAGE_SIZE
) -> SearchRequest:
    """What the engine is asked for."""
    return SearchRequest(
        text=choices.text,
        kind=choices.kind,
        order=choices.order,
        mix=choices.mix,
        filters=choices.filters,
        open_now=choices.is_open,
        near=None if place.is_everywhere else (place.at.lat, place.at.lng),
        within_km=choices.within_km,
        viewer_id=viewer_id,
        exact=choices.is_exact,
        cursor=choices.cursor,
        folds_same=choices.same_as is None,
        same_as=choices.same_as,
        size=size,
    )


def describe(choices: Choices) -> str:
    """What was asked for without the text, for the list of slow searches: "notes by votes, 3 words"."""
    words = f"{len(choices.text.split())} words"
    filters = [name for name in parameters.FACETS if name in choices.filters]
    extras = [*filters, *(["open"] if choices.is_open else []), *(["km"] if choices.within_km else [])]
    return ", ".join([f"{choices.kind or 'all'} by {choices.order}", words, *extras])


def _build_tabs(choices: Choices, page: SearchPage) -> list[Tab]:
    plain: dict[str, Any] = {"filters": {}, "is_open": False, "within_km": None, "order": "relevance"}
    everything = Tab(_("All"), sum(page.kinds.values()), choices.url(kind="", **plain), not choices.kind)
    return [
        everything,
        *(
            Tab(kind.label, page.kinds.get(name, 0), choices.url(kind=name, **plain), choices.kind == name)
            for name, kind in KINDS.items()
        ),
    ]


def _build_orders(choices: Choices, kind: Kind, page: SearchPage) -> list[OrderChoice]:
    known = {"relevance", choices.order, *kind.orders, *(f"-{name}" for name in kind.orders)}
    if {"newest", "votes"} <= known:
        known.add("mix")
    if DISTANCE_FACET in page.facets:
        known.add("distance")
    if kind.name_orders:
        known.add("name")
    return [
        OrderChoice(name, label, choices.order == name)
        for name, label in ORDER_LABELS.items()
        if name in known
    ]


def _build_filters(page: SearchPage) -> list[FilterGroup]:
    return [
        FilterGroup(name, label, page.facets[name][:MAX_FACET_VALUES])
        for name, label in FACET_LABELS.items()
        if len(page.facets.get(name, [])) > 1 or any(one.is_chosen for one in page.facets.get(name, []))
    ]


def _build_groups(choices: Choices, pages: Sequence[SearchPage]) -> list[HitGroup]:
    """The kinds with hits in the order of the tabs."""
    return [
        HitGroup(page.kind, kind.label, page, choices.url(kind=page.kind))
        for page in pages
        if (kind := KINDS.get(page.kind)) and page.kinds.get(page.kind)
    ]
