"""Search: a request becomes a page of hits. The pages and the API go through here."""

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple, cast

from django.utils.translation import gettext as _

from apps.accounts.relations import blocks
from apps.metrics import gathering
from apps.redis_kit import client
from apps.search import keys
from apps.search.index import documents, generations
from apps.search.query import filtering, hits, matching, ordering, parsing, spelling
from apps.search.query.filtering import FacetCount as FacetCount
from apps.search.query.matching import Match, Scope
from apps.search.query.parsing import ParsedQuery
from apps.search.query.requests import MAX_PAGE_SIZE, Hit, SearchPage, SearchRequest
from apps.search.words import word_lists
from apps.web import paging
from apps.web.findable import KINDS
from apps.web.problems import Problem

__all__ = ["FacetCount", "Hit", "SearchPage", "SearchRequest", "search"]

_CURSOR_LIST = "search"


class Position(NamedTuple):
    """A place in a kind's ranked documents, of which a search found `total`; `kept`: their name, or ""."""

    kind: str
    ranked: list[int]
    offset: int
    total: int
    kept: str = ""


def search(request: SearchRequest) -> SearchPage:
    """The page of a search. BadCursor, Problem 422 unknown_kind or unknown_order, 503 busy."""
    began = time.perf_counter()
    if request.kind and request.kind not in KINDS:
        raise Problem(422, "unknown_kind", _("There is nothing of this kind to search."))
    try:
        page = _read_further(request) if request.cursor else _search_first(request)
    except client.UNAVAILABLE:
        raise Problem(503, "busy", _("Search is away for a moment. Try again soon."), retry_after=5) from None
    except ordering.UnknownOrder:
        raise Problem(422, "unknown_order", _("These can't be sorted like that.")) from None
    seconds = time.perf_counter() - began
    gathering.count("searches")
    gathering.record("verb/search", seconds)
    return replace(page, took_ms=round(seconds * 1_000, 2))


def _search_first(request: SearchRequest) -> SearchPage:
    if keys.STEPS_BUDGET.is_spent:
        raise Problem(503, "busy", _("Search is away for a moment. Try again soon."), retry_after=30)
    _refuse_unknown_order(request)
    live = generations.all_live()
    if not live:
        return _answer_without_index(request)
    query = parsing.parse(request.text, word_lists.load(), is_prefix=request.is_prefix)
    if request.text.strip() and query.is_empty:
        # Signs alone are nothing to search for: everything would have them, or nothing.
        return _build_empty(request, is_wordless=True)
    apart = tuple(sorted(_find_apart(request)))
    scopes = {name: Scope(name, live[name], apart) for name, _kind in KINDS.items() if name in live}
    try:
        return _match_and_build(request, query, scopes)
    finally:
        matching.delete_steps(scopes.values())


def _match_and_build(request: SearchRequest, query: ParsedQuery, scopes: Mapping[str, Scope]) -> SearchPage:
    near = request.near if request.order == ordering.RELEVANCE else None
    matches = {
        name: matching.match(scope, query, exact=request.exact, near=near) for name, scope in scopes.items()
    }
    name = request.kind or next((name for name, found in matches.items() if found.total), next(iter(matches)))
    if name in matches:
        page = _build_first(request, query, scopes[name], matches[name])
    else:
        page = _answer_without_index(request)
    return replace(page, kinds={name: found.total for name, found in matches.items()})


def _refuse_unknown_order(request: SearchRequest) -> None:
    """Raise UnknownOrder before any work when no kind that may be found has the order."""
    kinds = [request.kind] if request.kind else [name for name, _kind in KINDS.items()]
    if not any(ordering.is_known(name, request.order, request.narrowing) for name in kinds):
        raise ordering.UnknownOrder(request.order)


def _answer_without_index(request: SearchRequest) -> SearchPage:
    """No hits where there is nothing to find, as on a new site; else Problem 503 until the index is built."""
    names = [request.kind] if request.kind else [name for name, _kind in KINDS.items()]
    if any(next(documents.kind_named(name).pk_chunks(), None) for name in names):
        raise Problem(503, "busy", _("Search is being prepared. Try again soon."), retry_after=10)
    return _build_empty(request)


def _build_empty(request: SearchRequest, *, is_wordless: bool = False) -> SearchPage:
    """A page without hits of any kind."""
    names = [name for name, _kind in KINDS.items()]
    kind, kinds = request.kind or names[0], dict.fromkeys(names, 0)
    return SearchPage(kind=kind, hits=[], total=0, next=None, kinds=kinds, is_wordless=is_wordless)


def _build_first(request: SearchRequest, query: ParsedQuery, scope: Scope, match: Match) -> SearchPage:
    values = filtering.read_values(scope)
    filters = filtering.resolve(request.narrowing, values)
    ranked = ordering.rank(scope, match, request.order, filters, values, request.mix)
    position = Position(scope.kind, ranked.ids, 0, ranked.found.total)
    proposed = {} if match.total >= spelling.FEW_HITS or match.corrections else _propose(scope, query, match)
    return replace(
        _read_page(request, position, match.words, scope.apart),
        dropped=match.dropped,
        corrected=spelling.replace_words(request.text, match.corrections),
        did_you_mean=spelling.replace_words(request.text, proposed),
        facets=filtering.count_facets(scope, match, ranked.found, filters, values),
    )


def _propose(scope: Scope, query: ParsedQuery, match: Match) -> dict[str, str]:
    return spelling.propose(scope.kind, scope.generation, query, match.counts)


def _read_further(request: SearchRequest) -> SearchPage:
    values = paging.decode(request.cursor, [str, str, int, int], kind=_CURSOR_LIST)
    kind, name, offset, total = cast("tuple[str, str, int, int]", values)
    position = Position(kind, ordering.read_kept(kind, name), offset, total, name)
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
    kind, kept_ids, offset, total, kept = position
    more = dict.fromkeys(kept_ids, 0)
    if request.folds_same or request.same_as:
        more = ordering.fold_same(kind, kept_ids, request.same_as)
    ranked = list(more)
    some, end = ranked[offset : offset + size], offset + size
    cursor = None
    if end < len(ranked) and (name := kept or ordering.keep(kind, kept_ids)):
        cursor = paging.encode(kind, name, end, total, kind=_CURSOR_LIST)
    return SearchPage(
        kind=kind,
        hits=[
            hit._replace(more=more[hit.id])
            for hit in hits.show(kind, some, words, near=request.near, apart=apart)
        ],
        total=len(ranked) if request.same_as else total,
        next=cursor,
        words=words,
        # Those of one text are counted apart: none of them is out of reach.
        reachable=len(ranked) if request.same_as else len(kept_ids),
    )
