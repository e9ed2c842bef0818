"""Ranks by BM25: inverse document frequencies, and the best documents with all or any of some terms."""

import math
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from apps.redis_kit import client, scripts, transport
from apps.search import keys
from apps.search.index import records
from apps.search.index.records import WEIGHT_UNITS

#: What the rarest terms have more than terms that half of all documents have; SQLite's FTS5 has the same.
LEAST_IDF = 1e-6


class Ranked(NamedTuple):
    """A document and its score."""

    id: int
    score: float


def _parse_ranked(raw: Any) -> list[Ranked]:
    return [Ranked(records.decode_member(member), score) for member, score in transport.scored(raw)]


WALK_ANY = scripts.Script("walk_any", package="apps.search.query", reply=_parse_ranked)


def idf(documents: int, with_term: int) -> float:
    """BM25's inverse document frequency (Robertson and Sparck Jones), never below LEAST_IDF."""
    return max(LEAST_IDF, math.log((documents - with_term + 0.5) / (with_term + 0.5)))


def factor(documents: int, with_term: int) -> float:
    """What turns the weights of a term's documents, which are whole numbers, into BM25's scores."""
    return idf(documents, with_term) / WEIGHT_UNITS


class TermCounts(NamedTuple):
    """The number of documents, and of those with each term."""

    documents: int
    by_term: dict[str, int]

    def factor(self, term: str) -> float:
        """What turns the weights of a term's documents into BM25's scores."""
        return factor(self.documents, self.by_term.get(term, 0))


def count_terms(kind: str, generation: int, terms: Sequence[str]) -> TermCounts:
    """How many documents there are, and how many have each term; one round trip."""
    named = keys.generation_parts(kind, generation)
    postings = keys.POSTINGS.build_many("term", terms, **named)
    documents, *counts = transport.execute_many(
        client.get(),
        [("HGET", keys.STATS(**named), "documents"), *(("ZCARD", key) for key in postings)],
    )
    return TermCounts(int(documents or 0), dict(zip(terms, counts, strict=True)))


def all_of(kind: str, generation: int, terms: Sequence[str], *, limit: int) -> list[Ranked]:
    """The best documents that have all of the given terms, the best first, of equals the highest id.

    Of a single term the list itself is read: to intersect a common one with nothing would copy it.
    """
    counts = count_terms(kind, generation, terms)
    postings = keys.POSTINGS.build_many("term", terms, kind=kind, generation=generation)
    if len(terms) == 1:
        raw = transport.execute(client.get(), ("ZREVRANGE", postings[0], 0, limit - 1, "WITHSCORES"))
        weight = counts.factor(terms[0])
        return [Ranked(one.id, one.score * weight) for one in _parse_ranked(raw)]
    if not all(counts.by_term.values()):
        return []
    target = keys.RESULT(kind=kind, digest=secrets.token_hex(8))
    weights = [counts.factor(term) for term in terms]
    _stored, raw, _deleted = transport.execute_many(
        client.get(),
        [
            ("ZINTERSTORE", target, len(terms), *postings, "WEIGHTS", *weights),
            ("ZREVRANGE", target, 0, limit - 1, "WITHSCORES"),
            ("DEL", target),
        ],
    )
    return _parse_ranked(raw)


def any_of(kind: str, generation: int, terms: Sequence[str], *, limit: int) -> list[Ranked]:
    """The best documents that have any of the given terms, the best first, of equals the highest id."""
    counts = count_terms(kind, generation, terms)
    known = [term for term in terms if counts.by_term[term]]
    if not known:
        return []
    postings = keys.POSTINGS.build_many("term", known, kind=kind, generation=generation)
    return WALK_ANY(client.get(), keys=postings, args=[limit, *map(counts.factor, known)])
