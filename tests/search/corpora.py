"""Texts that search finds without any table: a kind of their own, plain BM25, and SQLite's FTS5 beside it."""

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from apps.search.index import generations, rebuilding
from apps.search.index.records import K1, B
from apps.search.text import folding, terms
from apps.web.findable import KINDS, Document, Field, Kind, Shown

NAME = "texts"
Ranked = list[tuple[int, float]]


def build_kind(
    texts: Mapping[int, str], *, is_name: bool = False, between: Callable[[], object] = lambda: None
) -> Kind:
    """A kind of these texts; `between` is called between the slices of a rebuild."""

    def load(ids: Sequence[int]) -> list[Document]:
        return [Document(number, {"text": [texts[number]]}) for number in ids if number in texts]

    def pk_chunks(after: int = 0) -> Iterator[list[int]]:
        numbers = sorted(number for number in texts if number > after)
        for first in range(0, len(numbers), 500):
            yield numbers[first : first + 500]
            between()

    return Kind(
        name=NAME,
        label="Texts",
        fields={"text": Field(1, is_name=is_name)},
        orders=(),
        facets=(),
        load=load,
        pk_chunks=pk_chunks,
        show=lambda ids: {number: Shown(texts[number], "", "/", texts[number]) for number in ids},
    )


@contextmanager
def indexed(texts: Mapping[int, str], *, is_name: bool = False) -> Iterator[int]:
    """The generation of an index of these texts."""
    with KINDS.registered(build_kind(texts, is_name=is_name), key=NAME):
        rebuilding.rebuild_kind(NAME)
        generation = generations.live(NAME)
        assert generation is not None
        yield generation


def make_english(count: int, *, seed: int = 7, words: int = 70) -> dict[int, str]:
    """Texts of made-up words, of which few are common and most are rare, as in a language."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnoprstuvw"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(4_000)]
    weights = [1 / place for place in range(1, len(vocabulary) + 1)]
    return {
        number: " ".join(chance.choices(vocabulary, weights, k=chance.randint(words // 3, words * 5 // 3)))
        for number in range(1, count + 1)
    }


def make_chinese(count: int, *, first: int = 1, seed: int = 11) -> dict[int, str]:
    """Texts of common characters, of which some are much commoner than others."""
    chance = random.Random(seed)
    characters = [chr(code) for code in chance.sample(range(0x4E00, 0x9000), 600)]
    weights = [1 / place for place in range(1, len(characters) + 1)]
    return {
        number: "，".join(
            "".join(chance.choices(characters, weights, k=chance.randint(4, 14))) for _ in range(6)
        )
        for number in range(first, first + count)
    }


class PlainIndex:
    """BM25 as the books write it, in plain Python (Robertson and Zaragoza, 2009)."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self.counts = {number: Counter(terms.split(folding.fold(text))) for number, text in texts.items()}
        self.lengths = {number: sum(counts.values()) for number, counts in self.counts.items()}
        self.average = sum(self.lengths.values()) / len(texts)
        self.with_term = Counter(term for counts in self.counts.values() for term in counts)

    def rank(self, wanted: Sequence[str], *, limit: int, needs_all: bool) -> Ranked:
        """(id, score), the best first, of equals the highest id."""
        enough = all if needs_all else any
        scores = [
            (number, sum(self._score(number, term) for term in wanted))
            for number, counts in self.counts.items()
            if enough(term in counts for term in wanted)
        ]
        return sorted(scores, key=lambda one: (round(-one[1], 9), -one[0]))[:limit]

    def _score(self, number: int, term: str) -> float:
        count = self.counts[number][term]
        having = self.with_term[term]
        idf = max(1e-6, math.log((len(self.counts) - having + 0.5) / (having + 0.5)))
        return idf * count * (K1 + 1) / (count + K1 * (1 - B + B * self.lengths[number] / self.average))


class FullTextIndex:
    """SQLite's FTS5, given the same terms."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self.connected = sqlite3.connect(":memory:")
        self.connected.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
        rows = [(number, " ".join(terms.split(folding.fold(text)))) for number, text in texts.items()]
        self.connected.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)

    def rank(self, wanted: Sequence[str], *, limit: int, needs_all: bool) -> Ranked:
        query = (" AND " if needs_all else " OR ").join(f'"{term}"' for term in wanted)
        sql = (
            "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? "
            "ORDER BY bm25(texts), rowid DESC LIMIT ?"
        )
        return self.connected.execute(sql, (query, limit)).fetchall()


def are_equal(one: Ranked, other: Ranked) -> bool:
    """Whether two rankings have the same scores to 1e-6, and the same documents beside ties at the end."""
    if len(one) != len(other) or any(abs(a - b) > 1e-6 for (_, a), (_, b) in zip(one, other, strict=True)):
        return False
    last = one[-1][1] if one else 0.0
    return {number for number, score in one if score > last + 1e-6} == {
        number for number, score in other if score > last + 1e-6
    }


def draw_queries(texts: Mapping[int, str], count: int, *, words: int, seed: int = 3) -> list[list[str]]:
    """Queries of words that stand in one text."""
    chance = random.Random(seed)
    numbers = list(texts)
    queries: list[list[str]] = []
    while len(queries) < count:
        found = list(dict.fromkeys(terms.split(folding.fold(texts[chance.choice(numbers)]))))
        if len(found) >= words:
            queries.append(chance.sample(found, words))
    return queries
