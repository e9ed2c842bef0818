"""Finds the documents with the words of a query: all of them, or else without the commonest."""

import hashlib
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations
from apps.search.index.records import NAME_BONUS
from apps.search.query import list_walks, ranking, spelling, word_forms
from apps.search.query.list_walks import Choice, Condition, Conditions, List, Local, Order, Range
from apps.search.query.parsing import Alternative, Group, ParsedQuery
from apps.search.query.word_forms import Split, WordCounts
from apps.search.text import terms
from apps.search.text.terms import FORM_FACTOR
from apps.web.findable import KINDS

#: What longer words count that begin as the typed one: they come after whatever has that, as its forms do.
PREFIX_FACTOR = FORM_FACTOR / 2
#: What a word's Chinese sound counts: in a name less than the word itself in letters anywhere, in any form.
READING_FACTOR = PREFIX_FACTOR / 50 / NAME_BONUS
#: What a word counts that is one letter away from the typed one, which nothing has.
TYPO_FACTOR = 0.5

#: Documents that are looked at, the best first: those of a phrase of very common words are cut off there.
MAX_PHRASE_CANDIDATES = 2_000
RECORDS_A_CALL = 100
#: Where a term begins and ends in a record, which is JSON and begins with the terms in order.
_BEGINNING, _END = r'(?:^\["| |\\n)', r'(?= |\\n|")'


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

    def postings(self, terms: Sequence[str], counts: WordCounts) -> tuple[List, ...]:
        """The lists of the documents with each of the given terms."""
        names = keys.POSTINGS.build_many("term", terms, kind=self.kind, generation=self.generation)
        return tuple(map(List, names, (counts.by_term.get(term, 0) for term in terms)))

    def order(self, name: str, size: int) -> List:
        """The list of all documents by an order; `size` is how many documents there are."""
        return List(keys.ORDER(kind=self.kind, generation=self.generation, order=name), size)

    def facet(self, facet: str, values: Iterable[str]) -> list[str]:
        """The keys of the sets of documents with each of the given values."""
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
    """The documents with the words: the sorted set of the best by BM25's scores, and how many there are.

    `conditions` find all of them again. `words` are the terms to mark,
    `corrections` what was searched instead of mistyped words: a word, or two with a space between.
    """

    key: str
    total: int
    conditions: Conditions
    counts: WordCounts
    words: frozenset[str] = frozenset()
    dropped: list[str] = field(default_factory=list)
    corrections: dict[str, str] = field(default_factory=dict)
    #: What the best of them are.
    order: Order = list_walks.RELEVANCE

    @property
    def documents(self) -> int:
        """How many documents there are to search."""
        return self.conditions.everything.size


def match(
    scope: Scope, query: ParsedQuery, *, exact: bool = False, near: tuple[float, float] | None = None
) -> Match:
    """The documents of a query; `exact`: of the words as they were typed alone. A few round trips.

    With `near`, (latitude, longitude), the near and well reviewed are the best of those that fit alike.
    """
    counts = word_forms.read_counts(scope.kind, scope.generation, query, with_forms=not exact)
    every_way = {
        group: _typed_ways(scope, group, counts) + _store_splits(scope, counts.splits.get(group, ()), counts)
        for group in query.groups
    }
    corrections = {} if exact else _correct(scope, every_way, counts)
    groups = list(query.groups)
    dropped: list[str] = []
    while True:
        ways = {group: every_way[group] for group in groups}
        found = _intersect(scope, query, ways, counts, near)
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


def _typed_ways(scope: Scope, group: Group, counts: WordCounts) -> list[Way]:
    """What was typed, its other forms, Chinese that is read so, and longer words that begin so."""
    ways = {terms: Way(terms) for terms in group.alternatives}
    longer = counts.prefixes.get(group, ())
    for term in counts.forms.get(group, ()):
        ways.setdefault((term,), Way((term,), FORM_FACTOR))
    for syllables in counts.sounds.get(group, ()):
        ways.setdefault(syllables, Way(syllables, READING_FACTOR))
    if len(longer) > word_forms.MAX_PREFIX_WORDS:
        united = _unite(scope, longer, counts)
        return [*ways.values(), Way(longer, PREFIX_FACTOR, united.key, united.size)]
    for term in longer:
        ways.setdefault((term,), Way((term,), PREFIX_FACTOR))
    return list(ways.values())


def _unite(scope: Scope, terms: tuple[str, ...], counts: WordCounts) -> List:
    """The documents with any of many terms, as one list: to look into each for every document takes long."""
    key = scope.key("united", terms)
    return List(key, list_walks.unite(key, scope.postings(terms, counts)))


def _store_splits(scope: Scope, found: Sequence[Split], counts: WordCounts) -> list[Way]:
    """The documents that have two words side by side whose letters are those of a typed one."""
    ways = []
    for first, seconds in found:
        (before, *after) = scope.postings([first, *seconds], counts)
        choices = tuple(Choice((one,)) for one in after)
        both = list_walks.walk(
            scope.key("both", first, seconds),
            Conditions(
                scope.order(generations.ALL, counts.documents),
                (Condition((Choice((before,)),), 1.0), Condition(choices, 1.0)),
            ),
            keep=MAX_PHRASE_CANDIDATES,
        )
        key, pattern = scope.key("split", first, seconds), build_pair_pattern(first, seconds)
        total = both.total and store_phrases(scope.kind, scope.generation, both.key, key, [pattern])
        if total:
            ways.append(Way((first, *seconds), FORM_FACTOR / 2, key, total))
    return ways


def _correct(scope: Scope, ways: dict[Group, list[Way]], counts: WordCounts) -> dict[str, str]:
    """{typed word: the commonest one letter away} of words that nothing has; adds these to the ways."""
    is_known = {group: any(way.count(counts) for way in some) for group, some in ways.items()}
    unknown = {group: group.typed for group, known in is_known.items() if not known}
    better = spelling.find_corrections(scope.kind, scope.generation, unknown.values(), counts)
    forms = word_forms.read_forms(scope.kind, scope.generation, better.values(), counts)
    for group, typed in unknown.items():
        if word := better.get(typed):
            ways[group].append(Way((word,), TYPO_FACTOR))
            ways[group] += [Way((form,), TYPO_FACTOR * FORM_FACTOR) for form in forms[word]]
    return better


def build_relevance(
    scope: Scope, documents: int, near: tuple[float, float] | None, *, is_rising: bool = False
) -> Order:
    """The order of a kind by how well its documents fit, which counts near ones more where it has places."""
    kind = KINDS.get(scope.kind)
    if near is None or kind is None or not kind.has_places:
        return Order(is_rising=is_rising)
    places = List(keys.PLACES(kind=scope.kind, generation=scope.generation), documents)
    return Order(is_rising=is_rising, local=Local(places, scope.order("votes", documents), *near))


def _intersect(
    scope: Scope,
    query: ParsedQuery,
    ways: dict[Group, list[Way]],
    counts: WordCounts,
    near: tuple[float, float] | None,
) -> Match:
    everything = scope.order(generations.ALL, counts.documents)
    known = [[way for way in some if way.count(counts)] for some in ways.values()]
    if not all(known):
        return Match(scope.key("nothing"), 0, Conditions(everything), counts)
    conditions = Conditions(
        everything,
        wanted=tuple(one for some in known for one in _group_conditions(scope, some, counts)),
        unwanted=tuple(_unwanted_lists(scope, query, counts)),
        ranges=_window_ranges(scope, counts),
    )
    if conditions.is_everything:
        return Match(everything.key, everything.size, conditions, counts)
    key = scope.key("matched", conditions, query.phrases)
    if not query.phrases:
        order = build_relevance(scope, counts.documents, near)
        found = list_walks.walk(key, conditions, order)
        return Match(key, found.total, conditions, counts, order=order)
    found = list_walks.walk(key, conditions, keep=MAX_PHRASE_CANDIDATES)
    return _keep_phrases(scope, query, Match(key, found.total, conditions, counts))


def _keep_phrases(scope: Scope, query: ParsedQuery, found: Match) -> Match:
    """Those of the best documents that have the query's phrases."""
    patterns = [build_phrase_pattern(phrase) for phrase in query.phrases]
    key = scope.key("phrases", found.key)
    total = store_phrases(scope.kind, scope.generation, found.key, key, patterns) if found.total else 0
    only = Condition((Choice((List(key, total),)),), 1.0)
    return Match(key, total, Conditions(found.conditions.everything, (only,)), found.counts)


def _group_conditions(scope: Scope, ways: list[Way], counts: WordCounts) -> Iterator[Condition]:
    """What a group asks of a document: each of its terms, or any of its ways."""
    if len(ways) == 1 and ways[0].factor == 1.0 and not ways[0].key:
        terms = ways[0].terms
        for one, term in zip(scope.postings(terms, counts), terms, strict=True):
            yield Condition((Choice((one,)),), counts.factor(term))
        return
    total = sum(way.count(counts) for way in ways)
    choices = [
        Choice((List(way.key, way.total),) if way.key else scope.postings(way.terms, counts), way.factor)
        for way in ways
    ]
    yield Condition(tuple(choices), ranking.factor(counts.documents, min(total, counts.documents)))


def _window_ranges(scope: Scope, counts: WordCounts) -> tuple[Range, ...]:
    """What has begun and not ended, for a kind with a window."""
    kind = KINDS.get(scope.kind)
    if kind is None or kind.window is None:
        return ()
    now = time.time()
    begins, ends = (scope.order(name, counts.documents) for name in kind.window)
    return (Range(begins, 0, now), Range(ends, now, float(2**53)))


def _unwanted_lists(scope: Scope, query: ParsedQuery, counts: WordCounts) -> Iterator[tuple[List, ...]]:
    """The lists of what the reader does not want, or may not see."""
    for key in scope.facet("owner", map(str, scope.apart)):
        yield (List(key, is_set=True),)
    for unwanted in query.unwanted:
        # Of a single character the pairs that begin with it.
        longer = counts.prefixes.get(Group((unwanted,)), ())
        if len(longer) > word_forms.MAX_PREFIX_WORDS:
            yield (_unite(scope, longer, counts),)
        else:
            yield from (scope.postings((term,), counts) for term in longer)
        if counts.has_all(unwanted):
            yield scope.postings(unwanted, counts)


def build_phrase_pattern(phrase: Sequence[str]) -> re.Pattern[str]:
    """What finds a phrase in a record. A Chinese character at its end may begin or end a pair there."""
    pieces = [re.escape(term) for term in phrase]
    if _is_character(phrase[0]) and not _is_run(phrase[1]):
        pieces[0] = f"[^ ]?{pieces[0]}"
    if _is_character(phrase[-1]) and not _is_run(phrase[-2]):
        pieces[-1] = f'{pieces[-1]}[^ \\\\"]?'
    return re.compile(_BEGINNING + " ".join(pieces) + _END)


def build_pair_pattern(first: str, seconds: Sequence[str]) -> re.Pattern[str]:
    """What finds a word with one of some others behind it in a record, also behind the first's "'s"."""
    others = "|".join(map(re.escape, seconds))
    return re.compile(f"{_BEGINNING}{re.escape(first)} (?:'[a-z]+ )?(?:{others}){_END}")


def store_phrases(
    kind: str, generation: int, key: str, target: str, patterns: Sequence[re.Pattern[str]]
) -> int:
    """Store those documents of a result that have all patterns as another result; returns their number."""
    redis = client.get()
    total = 0
    for first in range(0, MAX_PHRASE_CANDIDATES, RECORDS_A_CALL):
        pairs = transport.scored(
            transport.execute(redis, ("ZREVRANGE", key, first, first + RECORDS_A_CALL - 1, "WITHSCORES"))
        )
        if not pairs:
            break
        raw = transport.execute(
            redis, ("HMGET", keys.RECORDS(kind=kind, generation=generation), *(member for member, _ in pairs))
        )
        kept: list[float | str] = []
        for (member, score), text in zip(pairs, raw, strict=True):
            if text and all(pattern.search(text) for pattern in patterns):
                kept += [score, member]
        if kept:
            transport.execute_many(redis, [("ZADD", target, *kept), ("EXPIRE", target, 60)])
        total += len(kept) // 2
    return total


def _is_character(term: str) -> bool:
    return len(term) == 1 and _is_run(term)


def _is_run(term: str) -> bool:
    return terms.RUN_PATTERN.match(term) is not None
