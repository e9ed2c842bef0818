"""What the address of a search page says, and the addresses of other choices."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.web import characters, findable
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id
from apps.web.problems.parsing import is_storable_text

MAX_TEXT_LENGTH = 200
#: Facets that are parameters of their own; each may be there several times.
FACETS = ("type", "city", "area", "price", "rating", "voucher")
MAX_FACET_VALUES = 20
DEFAULT_ORDER, DEFAULT_MIX, MAX_MIX = "relevance", 50, 100


@dataclass(frozen=True, kw_only=True)
class Choices:
    """`kind` "" is all kinds; `mix` weighs time (0) against votes (100) in the order "mix"."""

    text: str = ""
    kind: str = ""
    order: str = DEFAULT_ORDER
    mix: int = DEFAULT_MIX
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_open: bool = False
    within_km: int | None = None
    is_exact: bool = False
    cursor: str = ""
    #: The thing whose text the others have that are shown.
    same_as: int | None = None

    @property
    def has_filters(self) -> bool:
        return bool(self.filters or self.is_open or self.within_km)

    @property
    def filter_count(self) -> int:
        return sum(map(len, self.filters.values())) + self.is_open + bool(self.within_km)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for yet: the page invites to search."""
        return not (self.text or self.kind or self.has_filters)

    def url(self, **changes: Any) -> str:
        """The shareable address of the given choices with some changed, from their first page on."""
        return replace(self, **({"cursor": ""} | changes)).address

    def without(self, facet: str, value: str) -> str:
        """The address without one value of a facet."""
        left = tuple(
            one
            for one in self.filters.get(facet, ())
            if one != value and characters.fold(one) not in map(characters.fold, findable.split_pair(value))
        )
        others = {name: values for name, values in self.filters.items() if name != facet}
        return self.url(filters=others | ({facet: left} if left else {}))

    def without_filters(self) -> str:
        return self.url(filters={}, is_open=False, within_km=None)

    @property
    def address(self) -> str:
        """The page's address; what is as usual is left out."""
        pairs: list[tuple[str, str]] = [("q", self.text), ("kind", self.kind)]
        if self.order != DEFAULT_ORDER:
            pairs.append(("sort", self.order))
        if self.order == "mix":
            pairs.append(("mix", str(self.mix)))
        pairs += [(name, value) for name in FACETS for value in self.filters.get(name, ())]
        pairs += [("open", "1" if self.is_open else ""), ("km", str(self.within_km or ""))]
        pairs += [("exact", "1" if self.is_exact else ""), ("cursor", self.cursor)]
        pairs.append(("same", str(self.same_as or "")))
        query = urlencode([(name, value) for name, value in pairs if value])
        path = reverse("search:results")
        return f"{path}?{query}" if query else path


def parse(request: HttpRequest) -> Choices:
    """The choices in a request's address; Problem 422 for a number that is none or a text too long."""
    given = request.GET
    return Choices(
        text=parse_text(given.get("q", "")),
        kind=given.get("kind", "")[:20],
        order=given.get("sort", "")[:20] or DEFAULT_ORDER,
        mix=_parse_number(given.get("mix", ""), range(MAX_MIX + 1)) or 0 if given.get("mix") else DEFAULT_MIX,
        filters=_parse_filters(given),
        is_open=given.get("open") == "1",
        within_km=_parse_number(given.get("km", ""), range(1, 51)),
        is_exact=given.get("exact") == "1",
        cursor=given.get("cursor", ""),
        same_as=parse_row_id(given["same"]) if given.get("same") else None,
    )


def parse_text(typed: str) -> str:
    """The typed text with single spaces; what can't be stored is left out, what is too long is cut."""
    if not is_storable_text(typed):
        typed = "".join(character for character in typed if is_storable_text(character))
    return " ".join(typed[: 5 * MAX_TEXT_LENGTH].split())[:MAX_TEXT_LENGTH]


def _parse_filters(given: QueryDict) -> dict[str, tuple[str, ...]]:
    chosen = {name: tuple(dict.fromkeys(filter(None, given.getlist(name)))) for name in FACETS}
    if any(len(values) > MAX_FACET_VALUES for values in chosen.values()):
        raise Problem(422, "invalid", _("These are too many choices at once."))
    return {name: values for name, values in chosen.items() if values}


def _parse_number(text: str, allowed: range) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) in allowed):
        raise Problem(422, "invalid", _("This is not a number that a search takes."))
    return int(text)
