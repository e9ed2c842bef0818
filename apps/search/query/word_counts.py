"""How many documents have the words of a query, and which longer words begin with the last one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import vocabulary
from apps.search.query import ranking
from apps.search.query.parsing import Alternative, Group, ParsedQuery

#: Letters from which on a word may be the beginning of longer ones.
MIN_PREFIX_LENGTH = 2
#: Longer words that stand for a beginning: those that most documents have.
MAX_PREFIX_WORDS = 24


@dataclass(frozen=True)
class WordCounts:
    """`by_term`: documents with each term; `prefixes`: the longer terms of a group, the commonest first."""

    documents: int
    by_term: dict[str, int]
    prefixes: Mapping[Group, tuple[str, ...]]

    def factor(self, term: str) -> float:
        """What turns the weights of a term's documents into BM25's scores."""
        return ranking.factor(self.documents, self.by_term.get(term, 0))

    def has_all(self, terms: Alternative) -> bool:
        """Whether each of the terms is in some document."""
        return all(self.by_term.get(term) for term in terms)

    def estimate(self, ways: Iterable[Alternative]) -> int:
        """At most how many documents have one of these ways."""
        return sum(min(self.by_term.get(term, 0) for term in terms) for terms in ways)

    def learn(self, counts: Mapping[str, int]) -> None:
        """Add the counts of further terms."""
        self.by_term.update(counts)


def read(kind: str, generation: int, query: ParsedQuery) -> WordCounts:
    """The counts of a query's terms; one round trip, a second one with prefixes."""
    terms = [term for group in query.groups for way in group.alternatives for term in way]
    terms += [term for way in query.unwanted for term in way]
    terms = list(dict.fromkeys(terms))
    open_groups = [group for group in query.groups if _may_go_on(group)]
    named = keys.generation_parts(kind, generation)
    documents, *replies = transport.execute_many(
        client.get(),
        [
            ("HGET", keys.STATS(**named), "documents"),
            *(("ZCARD", key) for key in keys.POSTINGS.build_many("term", terms, **named)),
            *(vocabulary.prefix_command(kind, generation, group.typed) for group in open_groups),
        ],
    )
    counts = dict(zip(terms, replies, strict=False))
    found: dict[Group, list[str]] = dict(zip(open_groups, replies[len(terms) :], strict=True))
    counts |= count(kind, generation, [term for longer in found.values() for term in longer])
    prefixes = {group: _commonest(group, longer, counts) for group, longer in found.items()}
    return WordCounts(int(documents or 0), counts, prefixes)


def count(kind: str, generation: int, terms: list[str]) -> dict[str, int]:
    """The number of documents with each term; one round trip, none for no terms."""
    postings = keys.POSTINGS.build_many("term", terms, kind=kind, generation=generation)
    numbers = transport.execute_many(client.get(), [("ZCARD", key) for key in postings])
    return dict(zip(terms, numbers, strict=True))


def _may_go_on(group: Group) -> bool:
    """Whether longer words are meant too: the last word, and a single Chinese character anywhere."""
    typed = group.alternatives[0]
    is_single = len(group.alternatives) == 1 and len(typed) == 1
    if not is_single:
        return False
    is_character = len(typed[0]) == 1 and typed[0] >= "\u3005"
    return is_character or (group.is_prefix and len(typed[0]) >= MIN_PREFIX_LENGTH and typed[0] < "\u3005")


def _commonest(group: Group, longer: list[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    known = [term for term in longer if counts[term] and term != group.typed]
    return tuple(sorted(known, key=lambda term: (-counts[term], term))[:MAX_PREFIX_WORDS])
