"""What a search is asked and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from apps.search.query.filtering import FacetCount as FacetCount
from apps.search.query.filtering import Filters
from apps.search.text.marks import Part
from apps.web import paging

PAGE_SIZE, MAX_PAGE_SIZE = paging.PAGE_SIZE, paging.MAX_SIZE


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search; `text` may be anything. `order` with a leading "-" is reversed; see `ordering.NAMES`.

    `kind` "": the first kind with hits. `filters`: values by facet, any of a facet and all of the facets.
    `near`: (latitude, longitude). `mix`: for the order "mix", from 0 (time alone) to 100 (votes alone).
    `exact`: the words as they are typed, in no other form and with no spelling repaired. `is_prefix`: the
    last word may be the beginning of a longer one. `folds_same`: of things with the same text the first, with
    the number of the others; `same_as`: only those with the text of this one.
    """

    text: str
    kind: str = ""
    order: str = "relevance"
    mix: int = 50
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    open_now: bool = False
    near: tuple[float, float] | None = None
    within_km: float | None = None
    viewer_id: int | None = None
    exact: bool = False
    is_prefix: bool = True
    cursor: str = ""
    folds_same: bool = False
    same_as: int | None = None
    size: int = PAGE_SIZE

    @property
    def narrowing(self) -> Filters:
        return Filters(self.filters, self.open_now, self.near, self.within_km)


class Hit(NamedTuple):
    """One thing that was found; `thing` is its row, `more` how many others have its text. Title and snippet
    are in parts, marked or not.
    """

    kind: str
    id: int
    title: list[Part]
    snippet: list[Part]
    url: str
    thing: Any
    distance_m: int | None
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class SearchPage:
    """A page of hits; `next` is a cursor or None, and the last page ends after `reachable` hits.

    `total` counts all of them: past list_walks.MAX_WALKED documents with the rarest word it is an estimate.

    `dropped`: words left out since all together find nothing. `corrected`: the query that was searched
    instead of a mistyped one, or "". `did_you_mean`: a better spelling when there are few hits, or "".
    `kinds`: hits by kind without filters. `words`: the terms to mark. `is_wordless`: the text has no letter
    and no digit, so that nothing was searched for. Only a first page has facets.
    """

    kind: str
    hits: list[Hit]
    total: int
    next: str | None
    dropped: list[str] = field(default_factory=list)
    corrected: str = ""
    did_you_mean: str = ""
    facets: Mapping[str, list[FacetCount]] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    reachable: int = 0
    is_wordless: bool = False
    took_ms: float = 0.0
