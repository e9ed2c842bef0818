"""Finds the documents with the words of a query: all of them, or else without the commonest."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations
from apps.search.query import phrases, ranking, spelling, word_counts
from apps.search.query.parsing import Alternative, Group, ParsedQuery
from apps.search.query.word_counts import WordCounts
from apps.web.findable import KINDS

#: How long a step of a search is kept.
RESULT_SECONDS = 60
#: What a word counts that was typed in part, or that one letter was changed of.
PREFIX_FACTOR, TYPO_FACTOR = 0.6, 0.5


class Scope(NamedTuple):
    """The generation of a kind that a query reads, and the people whose things its reader may not see."""

    kind: str
    generation: int
    apart: tuple[int, ...] = ()

    def key(self, step: str, *parts: object) -> str:
        """The key of a step of this query."""
        digest = hashlib.sha1(repr((self, step, parts)).encode(), usedforsecurity=False).hexdigest()
        return keys.RESULT(kind=self.kind, digest=digest)

    def postings(self, terms: Sequence[str]) -> list[str]:
        return keys.POSTINGS.build_many("term", terms, kind=self.kind, generation=self.generation)

    def order(self, name: str) -> str:
        return keys.ORDER(kind=self.kind, generation=self.generation, order=name)

    def facet(self, facet: str, values: Iterable[str]) -> list[str]:
        wanted = [f"{facet}={value}" for value in values]
        return keys.FACET.build_many("value", wanted, kind=self.kind, generation=self.generation)


class Way(NamedTuple):
    """One way to satisfy a group: its terms, and the factor of their weight."""

    terms: Alternative
    factor: float = 1.0


@dataclass
class Match:
    """The documents with the words: the sorted set that has them, and their number.

    `factor` turns the set's scores into BM25's. `words` are the terms to mark,
    `corrections` what was searched instead of mistyped words: a word, or two with a space between.
    """

    key: str = ""
    total: int = 0
    factor: float = 1.0
    words: frozenset[str] = frozenset()
    dropped: list[str] = field(default_factory=list)
    corrections: dict[str, str] = field(default_factory=dict)
    counts: WordCounts | None = None


def match(scope: Scope, query: ParsedQuery, *, exact: bool = False) -> Match:
    """The documents of a query; `exact` repairs no spelling. A few round trips."""
    counts = word_counts.read(scope.kind, scope.generation, query)
    corrections = {} if exact else spelling.find_corrections(scope.kind, scope.generation, query, counts)
    groups = list(query.groups)
    dropped: list[str] = []
    while True:
        ways = {group: _ways_of(group, counts, corrections) for group in groups}
        found = _intersect(scope, query, ways, counts)
        droppable = [group for group in groups if not _is_fixed(group, query)]
        if found.total or len(groups) < 2 or not droppable:
            break
        leaving = max(droppable, key=lambda group: _drop_rank(group, counts, ways[group]))
        groups.remove(leaving)
        dropped.append(leaving.typed)
    found.words = frozenset(term for some in ways.values() for way in some for term in way.terms)
    found.dropped = dropped if found.total else []
    found.corrections = {
        typed: better
        for typed, better in corrections.items()
        if found.total and found.words.issuperset(better.split())
    }
    found.counts = counts
    return found


def _is_fixed(group: Group, query: ParsedQuery) -> bool:
    """Whether the group is a word of a phrase, which was asked for exactly."""
    return any(group.alternatives[0][0] in phrase for phrase in query.phrases)


def _drop_rank(group: Group, counts: WordCounts, ways: Sequence[Way]) -> tuple[bool, bool, int]:
    """What is given up first: pairs that only join words, unknown words, then the commonest."""
    number = counts.estimate(way.terms for way in ways)
    return group.is_weak, number == 0, number


def _ways_of(group: Group, counts: WordCounts, corrections: dict[str, str]) -> list[Way]:
    ways = [Way(terms) for terms in group.alternatives]
    longer = counts.prefixes.get(group, ())
    ways += [Way((term,), PREFIX_FACTOR) for term in longer if (term,) not in group.alternatives]
    corrected = corrections.get(group.typed)
    return [*ways, Way(tuple(corrected.split()), TYPO_FACTOR)] if corrected else ways


def _intersect(scope: Scope, query: ParsedQuery, ways: dict[Group, list[Way]], counts: WordCounts) -> Match:
    commands: list[transport.Command] = []
    sources: list[tuple[str, float]] = []
    for some in ways.values():
        known = [way for way in some if counts.has_all(way.terms)]
        if not known:
            return Match(key=scope.key("nothing"))
        sources += _group_sources(scope, known, counts, commands)
    sources += [(key, 0.0) for key in _window_keys(scope, commands)]
    minus = _unwanted_keys(scope, query, counts, commands)
    if len(sources) == 1 and not minus and not query.phrases:
        # The list itself: to intersect a common one with nothing would copy it.
        return _read_total(sources[0][0], sources[0][1], commands)
    return _store(scope, query, sources or [(scope.order(generations.ALL), 0.0)], minus, commands)


def _store(
    scope: Scope,
    query: ParsedQuery,
    sources: list[tuple[str, float]],
    minus: list[str],
    commands: list[transport.Command],
) -> Match:
    names, weights = zip(*sources, strict=True)
    target = scope.key("matched", sources, minus, query.phrases)
    if len(sources) > 1 or not minus:
        commands.append(("ZINTERSTORE", target, len(names), *names, "WEIGHTS", *weights))
        names = (target,)
    if minus:
        commands.append(("ZDIFFSTORE", target, 1 + len(minus), names[0], *minus))
    commands.append(("EXPIRE", target, RESULT_SECONDS))
    factor = weights[0] if names[0] != target else 1.0
    found = _read_total(target, factor, commands)
    if found.total and query.phrases:
        found.total = phrases.keep_matching(scope.kind, scope.generation, target, query.phrases)
    return found


def _read_total(key: str, factor: float, commands: list[transport.Command]) -> Match:
    *_done, total = transport.execute_many(client.get(), [*commands, ("ZCARD", key)])
    return Match(key=key, total=total, factor=factor or 1.0)


def _group_sources(
    scope: Scope, ways: list[Way], counts: WordCounts, commands: list[transport.Command]
) -> list[tuple[str, float]]:
    """(sorted set, weight) of a group: its term's own list, or the union of its ways."""
    if len(ways) == 1 and ways[0].factor == 1.0:
        terms = ways[0].terms
        return list(zip(scope.postings(terms), map(counts.factor, terms), strict=True))
    total = counts.estimate(way.terms for way in ways)
    weight = ranking.factor(counts.documents, min(total, counts.documents))
    names = []
    for way in ways:
        (name, *others) = scope.postings(way.terms)
        if others:
            stored = scope.key("way", way.terms)
            commands.append(("ZINTERSTORE", stored, 1 + len(others), name, *others))
            commands.append(("EXPIRE", stored, RESULT_SECONDS))
            name = stored
        names.append(name)
    union = scope.key("group", ways)
    factors = [way.factor for way in ways]
    commands.append(("ZUNIONSTORE", union, len(names), *names, "WEIGHTS", *factors, "AGGREGATE", "MAX"))
    commands.append(("EXPIRE", union, RESULT_SECONDS))
    return [(union, weight)]


def _window_keys(scope: Scope, commands: list[transport.Command]) -> list[str]:
    """The sorted sets of what has begun and of what has not ended, for a kind with a window."""
    kind = KINDS.get(scope.kind)
    if kind is None or kind.window is None:
        return []
    now = int(datetime.now(UTC).timestamp())
    begun, ending = scope.key("begun", now), scope.key("ending", now)
    begins, ends = (scope.order(name) for name in kind.window)
    commands.append(("ZRANGESTORE", begun, begins, "-inf", now, "BYSCORE"))
    commands.append(("ZRANGESTORE", ending, ends, f"({now}", "+inf", "BYSCORE"))
    commands += [("EXPIRE", key, RESULT_SECONDS) for key in (begun, ending)]
    return [begun, ending]


def _unwanted_keys(
    scope: Scope, query: ParsedQuery, counts: WordCounts, commands: list[transport.Command]
) -> list[str]:
    """The sorted sets and sets of what the reader does not want, or may not see."""
    minus = scope.facet("owner", map(str, scope.apart))
    for terms in query.unwanted:
        if not counts.has_all(terms):
            continue
        (name, *others) = scope.postings(terms)
        if others:
            stored = scope.key("way", terms)
            commands.append(("ZINTERSTORE", stored, 1 + len(others), name, *others))
            commands.append(("EXPIRE", stored, RESULT_SECONDS))
            name = stored
        minus.append(name)
    return minus
