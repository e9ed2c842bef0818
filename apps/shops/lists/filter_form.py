"""The filters of a page of shops: read from its address, shown as a form and as chips to take off."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.shops.filters import Filters
from apps.shops.lists import facets, query_params
from apps.shops.lists.facets import Choice, Group

#: Parameters of filters, named as in search.
NAMES = ("area", "price", "open", "voucher")
TOGGLES: dict[str, str | Promise] = {"open": _("Open now"), "voucher": _("Has a coupon")}
GROUP_LABELS: dict[str, str | Promise] = {"price": _("Price"), "area": _("Area")}


class Chip(NamedTuple):
    """A choice of price or area, and the address without it."""

    label: str
    url: str


class Toggle(NamedTuple):
    """A filter that is on or off; `name` is the parameter."""

    name: str
    label: str | Promise
    choice: Choice


@dataclass(frozen=True)
class FilterForm:
    """What the address says of filters; `groups` come from facets.build_groups."""

    given: QueryDict
    groups: dict[str, list[Choice]]

    @property
    def toggles(self) -> list[Toggle]:
        is_open = Choice("1", "", None, self.given.get("open") == "1")
        voucher = next((one for one in self.groups["voucher"] if one.value == "1"), is_open)
        choices = {"open": is_open, "voucher": voucher}
        return [Toggle(name, label, choices[name]) for name, label in TOGGLES.items()]

    @property
    def filters(self) -> list[Group]:
        """Prices and areas."""
        return [Group(name, str(label), self.groups[name]) for name, label in GROUP_LABELS.items()]

    @property
    def chips(self) -> list[Chip]:
        """The chosen prices and areas; what is on or off shows that itself."""
        return [
            Chip(choice.label, f"?{_without_value(self.given, group.name, choice.value)}")
            for group in self.filters
            for choice in group.values
            if choice.is_chosen
        ]

    @property
    def is_on(self) -> bool:
        """Whether any filter is on."""
        return any(self.given.get(name) for name in NAMES)

    @property
    def query_without_filters(self) -> str:
        return without(self.given, *NAMES)

    @property
    def others(self) -> list[tuple[str, str]]:
        """The other choices of the address, which the form sends along: (name, value)."""
        return [
            (name, value)
            for name, values in self.given.lists()
            for value in values
            if name not in (*NAMES, "cursor")
        ]


def parse(given: QueryDict) -> Filters:
    """The filters of an address; Problem 422 for a band that isn't there or too many values."""
    return query_params.build_filters(
        area_names=_values(given, "area"),
        bands=_values(given, "price"),
        open_now=given.get("open") == "1",
        voucher=given.get("voucher") == "1",
    )


def build(given: QueryDict, counts: facets.Counts, *, counted: bool) -> FilterForm:
    """The form; `counted` False leaves the numbers out, which are a city's."""
    chosen = {name: _values(given, name) for name in ("area", "price", "voucher")}
    return FilterForm(given, facets.build_groups(counts, chosen, counted=counted))


def without(given: QueryDict, *names: str) -> str:
    """The query string without these parameters, from the first page on."""
    left = given.copy()
    for name in (*names, "cursor"):
        left.pop(name, None)
    return left.urlencode()


def _without_value(given: QueryDict, name: str, value: str) -> str:
    left = given.copy()
    left.pop("cursor", None)
    left.setlist(name, [one for one in given.getlist(name) if not facets.is_same(value, one)])
    return left.urlencode()


def _values(given: QueryDict, name: str) -> Sequence[str]:
    return tuple(dict.fromkeys(filter(None, given.getlist(name))))
