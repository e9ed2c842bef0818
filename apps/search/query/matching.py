"""Finds the documents with the words of a query: all of them, or else without the commonest."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations
from apps.search.query import phrases, ranking, spelling, word_counts
from apps.search.query.halves import Halves
from apps.search.query.parsing import Alternative, Group, ParsedQuery
from apps.search.query.word_counts import WordCounts
from apps.search.text.terms import FORM_FACTOR
from apps.web.findable import KINDS

#: How long a step stays of a search that ended before it could delete it.
RESULT_SECONDS = 60
#: What longer words count that begin as the typed one: they come after whatever has that, as its forms do.
PREFIX_FACTOR = FORM_FACTOR / 2
#: What a word counts that is one letter away from the typed one, which nothing has.
TYPO_FACTOR = 0.5


@dataclass(frozen=True)
class Scope:
    """The generation of a kind that a search reads, and the people whose things its reader may not see.

    `steps` are the keys of what the search stores on its way; `token` tells them from those of others.
    """

    kind: str
    generation: int
    apart: tuple[int, ...] = ()
    token: str = field(default_factory=partial(secrets.token_hex, 8))
    steps: set[str] = field(default_factory=set, repr=False)

    def key(self, step: str, *parts: object) -> str:
        """The key of a step of this search."""
        digest = hashlib.sha1(repr((self.token, step, parts)).encode(), usedforsecurity=False).hexdigest()
        key = keys.RESULT(kind=self.kind, digest=digest)
        self.steps.add(key)
        return key

    def postings(self, terms: Sequence[str]) -> list[str]:
        return keys.POSTINGS.build_many("term", terms, kind=self.kind, generation=self.generation)

    def order(self, name: str) -> str:
        return keys.ORDER(kind=self.kind, generation=self.generation, order=name)

    def facet(self, facet: str, values: Iterable[str]) -> list[str]:
        wanted = [f"{facet}={value}" for value in values]
        return keys.FACET.build_many("value", wanted, kind=self.kind, generation=self.generation)


class Way(NamedTuple):
    """One way to satisfy a group: its terms, and the factor of their weight.

    `key` is the sorted set of its documents, of which there are `total`, when it was stored already.
    """

    terms: Alternative
    factor: float = 1.0
    key: str = ""
    total: int = 0

    def count(self, counts: WordCounts) -> int:
        """At most how many documents there are; 0 when one of the terms is in none."""
        return self.total if self.key else counts.estimate([self.terms])


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
    """The documents of a query; `exact`: of the words as they were typed alone. A few round trips."""
    counts = word_counts.read(scope.kind, scope.generation, query, with_forms=not exact)
    every_way = {
        group: _typed_ways(group, counts) + _store_halves(scope, counts.halves.get(group, ()))
        for group in query.groups
    }
    corrections = {} if exact else _correct(scope, every_way, counts)
    groups = list(query.groups)
    dropped: list[str] = []
    while True:
        ways = {group: every_way[group] for group in groups}
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


def delete_steps(scopes: Iterable[Scope]) -> None:
    """Delete what searches have stored on their way; while Redis is away it expires by itself."""
    commands = [("UNLINK", *scope.steps) for scope in scopes if scope.steps]
    with suppress(*client.UNAVAILABLE):
        transport.execute_many(client.get(), commands)


def _is_fixed(group: Group, query: ParsedQuery) -> bool:
    """Whether the group is a word of a phrase, which was asked for exactly."""
    return any(group.alternatives[0][0] in phrase for phrase in query.phrases)


def _drop_rank(group: Group, counts: WordCounts, ways: Sequence[Way]) -> tuple[bool, bool, int]:
    """What is given up first: pairs that only join words, unknown words, then the commonest."""
    number = sum(way.count(counts) for way in ways)
    return group.is_weak, number == 0, number


def _typed_ways(group: Group, counts: WordCounts) -> list[Way]:
    """What was typed, its other forms, and longer words that begin so."""
    ways = {terms: Way(terms) for terms in group.alternatives}
    for factor, some in ((FORM_FACTOR, counts.forms), (PREFIX_FACTOR, counts.prefixes)):
        for term in some.get(group, ()):
            ways.setdefault((term,), Way((term,), factor))
    return list(ways.values())


def _store_halves(scope: Scope, found: Sequence[Halves]) -> list[Way]:
    """The documents that have two words side by side whose letters are those of a typed one."""
    ways = []
    for first, seconds in found:
        union, both = scope.key("seconds", seconds), scope.key("both", first, seconds)
        (before, *after) = scope.postings([first, *seconds])
        commands: list[transport.Command] = [
            ("ZUNIONSTORE", union, len(after), *after),
            ("ZINTERSTORE", both, 2, before, union),
            *(("EXPIRE", name, RESULT_SECONDS) for name in (union, both)),
        ]
        _united, number, *_kept = transport.execute_many(client.get(), commands)
        key, pattern = scope.key("halves", first, seconds), phrases.build_pair_pattern(first, seconds)
        total = phrases.store_matching(scope.kind, scope.generation, both, key, [pattern]) if number else 0
        if total:
            ways.append(Way((first, *seconds), FORM_FACTOR / 2, key, total))
    return ways


def _correct(scope: Scope, ways: dict[Group, list[Way]], counts: WordCounts) -> dict[str, str]:
    """{typed word: the commonest one letter away} of words that nothing has; adds these to the ways."""
    is_known = {group: any(way.count(counts) for way in some) for group, some in ways.items()}
    unknown = {group: group.typed for group, known in is_known.items() if not known}
    better = spelling.find_corrections(scope.kind, scope.generation, unknown.values(), counts)
    forms = word_counts.read_forms(scope.kind, scope.generation, better.values(), counts)
    for group, typed in unknown.items():
        if word := better.get(typed):
            ways[group].append(Way((word,), TYPO_FACTOR))
            ways[group] += [Way((form,), TYPO_FACTOR * FORM_FACTOR) for form in forms[word]]
    return better


def _intersect(scope: Scope, query: ParsedQuery, ways: dict[Group, list[Way]], counts: WordCounts) -> Match:
    commands: list[transport.Command] = []
    sources: list[tuple[str, float]] = []
    for some in ways.values():
        known = [way for way in some if way.count(counts)]
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
        patterns = [phrases.build_pattern(phrase) for phrase in query.phrases]
        found.key = scope.key("phrases", target)
        found.total = phrases.store_matching(scope.kind, scope.generation, target, found.key, patterns)
    return found


def _read_total(key: str, factor: float, commands: list[transport.Command]) -> Match:
    *_done, total = transport.execute_many(client.get(), [*commands, ("ZCARD", key)])
    return Match(key=key, total=total, factor=factor or 1.0)


def _group_sources(
    scope: Scope, ways: list[Way], counts: WordCounts, commands: list[transport.Command]
) -> list[tuple[str, float]]:
    """(sorted set, weight) of a group: its term's own list, or the union of its ways."""
    if len(ways) == 1 and ways[0].factor == 1.0 and not ways[0].key:
        terms = ways[0].terms
        return list(zip(scope.postings(terms), map(counts.factor, terms), strict=True))
    total = sum(way.count(counts) for way in ways)
    weight = ranking.factor(counts.documents, min(total, counts.documents))
    names = []
    for way in ways:
        (name, *others) = [way.key] if way.key else scope.postings(way.terms)
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
        # Of a single character the pairs that begin with it.
        minus += scope.postings(counts.prefixes.get(Group((terms,)), ()))
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
