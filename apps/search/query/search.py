"""Search: a request becomes a page of hits. The pages and the API go through here."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from apps.accounts.relations import blocks
from apps.metrics import gathering
from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations, records
from apps.search.query import filtering, matching, ordering, parsing, spelling
from apps.search.query.filtering import FacetCount as FacetCount
from apps.search.query.filtering import Filters
from apps.search.query.matching import Match, Scope
from apps.search.query.parsing import ParsedQuery
from apps.search.text import marks
from apps.search.text.marks import Part
from apps.search.words import word_lists
from apps.shops import areas
from apps.web import paging
from apps.web.findable import KINDS, Shown
from apps.web.problems import Problem

PAGE_SIZE, MAX_PAGE_SIZE = paging.PAGE_SIZE, paging.MAX_SIZE
#: Of so many times as many hits as a page has those in the reader's language come first.
COMPARED_FACTOR = 4

__all__ = ["FacetCount", "Hit", "SearchPage", "SearchRequest", "search"]
_CURSOR_LIST = "search"


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search; `text` may be anything. `order` with a leading "-" is reversed; see `ordering.NAMES`.

    `kind` "": the first kind with hits. `filters`: values by facet, any of a facet and all of the facets.
    `near`: (latitude, longitude). `mix`: for the order "mix", from 0 (time alone) to 100 (votes alone).
    `exact`: the words as they are typed, in no other form and with no spelling repaired. `is_prefix`: the
    last word may be the beginning of a longer one. `folds_same`: of things with the same text the first, with
    the number of the others, and by relevance those in the active language before others that fit about as
    well; `same_as`: only those with the text of this one.
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
    #: The first hits alone: without facets, and without a cursor to others.
    is_overview: bool = False

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


class Position(NamedTuple):
    """A place in a kind's ranked documents, of which a search found `total`; `kept`: their name, or ""."""

    kind: str
    generation: int | None
    ranked: list[int]
    offset: int
    total: int
    kept: str = ""


def search(request: SearchRequest) -> SearchPage:
    """The page of a search. BadCursor, Problem 422 unknown_kind or unknown_order, 503 busy."""
    if request.kind and request.kind not in KINDS:
        raise Problem(422, "unknown_kind", _("There is nothing of this kind to search."), field="kind")
    return _search_timed(request)[0]


def search_kinds(request: SearchRequest) -> list[SearchPage]:
    """The first hits of every kind that has any, in the order of kinds; one empty page where none has."""
    return _search_timed(replace(request, kind="", cursor="", is_overview=True))


def _search_timed(request: SearchRequest) -> list[SearchPage]:
    began = time.perf_counter()
    try:
        pages = [_read_further(request)] if request.cursor else _search_first(request)
    except client.UNAVAILABLE:
        raise Problem(503, "busy", _("Search is away for a moment. Try again soon."), retry_after=5) from None
    except ordering.UnknownOrder:
        raise Problem(422, "unknown_order", _("These can't be sorted like that."), field="sort") from None
    seconds = time.perf_counter() - began
    gathering.count("searches")
    gathering.record("verb/search", seconds)
    return [replace(page, took_ms=round(seconds * 1_000, 2)) for page in pages]


def _search_first(request: SearchRequest) -> list[SearchPage]:
    if keys.STEPS_BUDGET.is_spent:
        raise Problem(503, "busy", _("Search is away for a moment. Try again soon."), retry_after=30)
    _refuse_unknown_order(request)
    live = generations.all_live()
    if not live:
        return [_answer_without_index(request)]
    query = parsing.parse(request.text, word_lists.load(), is_prefix=request.is_prefix)
    if request.text.strip() and query.is_empty:
        # Signs alone are nothing to search for: everything would have them, or nothing.
        return [_build_empty(request, is_wordless=True)]
    apart = tuple(sorted(_find_apart(request)))
    scopes = {name: Scope(name, live[name], apart) for name, _kind in KINDS.items() if name in live}
    try:
        return _match_and_build(request, query, scopes)
    finally:
        matching.delete_steps(scopes.values())


def _match_and_build(
    request: SearchRequest, query: ParsedQuery, scopes: Mapping[str, Scope]
) -> list[SearchPage]:
    """The page of the request's kind, or of the first with hits; of an overview, those of all with hits."""
    near = request.near if request.order == ordering.RELEVANCE else None
    matches = {
        name: matching.match(scope, query, exact=request.exact, near=near) for name, scope in scopes.items()
    }
    with_hits = [name for name, found in matches.items() if found.total] or [next(iter(matches))]
    names = with_hits if request.is_overview else [request.kind or with_hits[0]]
    kinds = {name: found.total for name, found in matches.items()}
    return [
        replace(
            _build_first(request, query, scopes[name], matches[name])
            if name in matches
            else _answer_without_index(request),
            kinds=kinds,
        )
        for name in names
    ]


def _refuse_unknown_order(request: SearchRequest) -> None:
    """Raise UnknownOrder before any work when no kind that may be found has the order."""
    kinds = [request.kind] if request.kind else [name for name, _kind in KINDS.items()]
    if not any(ordering.is_known(name, request.order, request.narrowing) for name in kinds):
        raise ordering.UnknownOrder(request.order)


def _answer_without_index(request: SearchRequest) -> SearchPage:
    """No hits where there is nothing to find, as on a new site; else Problem 503 until the index is built."""
    names = [request.kind] if request.kind else [name for name, _kind in KINDS.items()]
    if any(next(records.kind_named(name).pk_chunks(), None) for name in names):
        raise Problem(503, "busy", _("Search is being prepared. Try again soon."), retry_after=10)
    return _build_empty(request)


def _build_empty(request: SearchRequest, *, is_wordless: bool = False) -> SearchPage:
    """A page without hits of any kind."""
    names = [name for name, _kind in KINDS.items()]
    kind, kinds = request.kind or names[0], dict.fromkeys(names, 0)
    return SearchPage(kind=kind, hits=[], total=0, next=None, kinds=kinds, is_wordless=is_wordless)


def _build_first(request: SearchRequest, query: ParsedQuery, scope: Scope, match: Match) -> SearchPage:
    is_narrowed = bool(request.narrowing.names)
    values = filtering.read_values(scope) if is_narrowed or not request.is_overview else {}
    filters = filtering.resolve(request.narrowing, values)
    ranked = ordering.rank(scope, match, request.order, filters, values, request.mix)
    position = Position(scope.kind, scope.generation, ranked.ids, 0, ranked.found.total)
    proposed = {} if match.total >= spelling.FEW_HITS or match.corrections else _propose(scope, query, match)
    page = replace(
        _read_page(request, position, match.words, scope.apart),
        dropped=match.dropped,
        corrected=spelling.replace_words(request.text, match.corrections),
        did_you_mean=spelling.replace_words(request.text, proposed),
    )
    if request.is_overview:
        return page
    return replace(page, facets=filtering.count_facets(scope, match, ranked.found, filters, values))


def _propose(scope: Scope, query: ParsedQuery, match: Match) -> dict[str, str]:
    return spelling.propose(scope.kind, scope.generation, query, match.counts)


def _read_further(request: SearchRequest) -> SearchPage:
    values = paging.decode(request.cursor, [str, str, int, int], kind=_CURSOR_LIST)
    kind, name, offset, total = cast("tuple[str, str, int, int]", values)
    position = Position(kind, generations.live(kind), ordering.read_kept(kind, name), offset, total, name)
    if not position.ranked:
        raise paging.BadCursor
    query = parsing.parse(request.text, word_lists.load())
    words = frozenset(term for group in query.groups for way in group.alternatives for term in way)
    return _read_page(request, position, words, _find_apart(request))


def _find_apart(request: SearchRequest) -> frozenset[int]:
    """The people whose things the reader doesn't get; a later page asks again, for a block since."""
    return blocks.apart_from(request.viewer_id) if request.viewer_id else frozenset()


def _read_page(
    request: SearchRequest, position: Position, words: frozenset[str], apart: Collection[int]
) -> SearchPage:
    size = max(1, min(request.size, MAX_PAGE_SIZE))
    kind, generation, kept_ids, offset, total, kept = position
    more = dict.fromkeys(kept_ids, 0)
    if generation and (request.folds_same or request.same_as):
        compared = size * COMPARED_FACTOR if request.order == ordering.RELEVANCE else 0
        more = ordering.fold_same(kind, generation, kept_ids, request.same_as, compared=compared)
    ranked = list(more)
    some, end = ranked[offset : offset + size], offset + size
    cursor, near = None, request.near
    if end < len(ranked) and not request.is_overview and (name := kept or ordering.keep(kind, kept_ids)):
        cursor = paging.encode(kind, name, end, total, kind=_CURSOR_LIST)
    places = _read_places(kind, generation, some) if near and generation else {}
    return SearchPage(
        kind=kind,
        hits=[
            hit._replace(more=more[hit.id])
            for hit in show_hits(kind, some, words, near=near, places=places, apart=apart)
        ],
        total=len(ranked) if request.same_as else total,
        next=cursor,
        words=words,
        # Those of one text are counted apart: none of them is out of reach.
        reachable=len(ranked) if request.same_as else len(kept_ids),
    )


def show_hits(
    kind: str,
    ranked: Sequence[int],
    words: Collection[str],
    *,
    near: tuple[float, float] | None,
    places: Mapping[int, tuple[float, float]],
    apart: Collection[int],
) -> list[Hit]:
    """The hits in order, without what was deleted or hidden since it was found, or is of people `apart`."""
    registered = KINDS.get(kind)
    if registered is None or not ranked:
        return []
    rows = registered.show(ranked)
    visible = {row_id: row for row_id, row in rows.items() if row.owner not in apart}
    return [
        _build_hit(kind, row_id, visible[row_id], words, near, places.get(row_id))
        for row_id in ranked
        if row_id in visible
    ]


def _build_hit(
    kind: str,
    row_id: int,
    displayed: Shown,
    words: Collection[str],
    near: tuple[float, float] | None,
    place: tuple[float, float] | None,
) -> Hit:
    metres = round(areas.distance_metres(*near, *place)) if near and place else None
    title, snippet = marks.mark(displayed.title, words), marks.snippet(displayed.text, words)
    return Hit(kind, row_id, title, snippet, displayed.url, displayed.thing, metres)


def _read_places(kind: str, generation: int, ids: Sequence[int]) -> dict[int, tuple[float, float]]:
    """(latitude, longitude) of the documents that have a place; none for no documents."""
    if not ids:
        return {}
    key = keys.PLACES(kind=kind, generation=generation)
    raw = transport.execute(client.get(), ("GEOPOS", key, *map(records.encode_member, ids)))
    return {
        number: (float(place[1]), float(place[0])) for number, place in zip(ids, raw, strict=True) if place
    }


def describe_page(page: SearchPage) -> str:
    """A sentence about signs alone, or about hits past the last page; "" when there is nothing to say."""
    if page.is_wordless:
        return _("Signs and pictures alone find nothing: type a word, a name or a number.")
    if page.total > page.reachable:
        sentence = _(
            "You can see the first %(reachable)s of %(total)s results. "
            "A further word or a filter brings the others."
        )
        return sentence % {"reachable": _format_number(page.reachable), "total": _format_number(page.total)}
    return ""


def _format_number(number: int) -> str:
    return str(number_format(number, force_grouping=True))
