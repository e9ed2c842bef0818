"""Scores: BM25 as plain Python and as SQLite's FTS5 compute it."""

from itertools import product

import pytest

from apps.search.query import ranking
from tests.search import corpora

pytestmark = pytest.mark.django_db
QUERIES = 10


def test_scores_equal_plain_bm25_and_fts5() -> None:
    texts = corpora.make_english(400) | corpora.make_chinese(100, first=401)
    plain, full_text = corpora.PlainIndex(texts), corpora.FullTextIndex(texts)
    with corpora.indexed(texts) as generation:
        for words, needs_all in product((1, 2, 3), (True, False)):
            rank = ranking.all_of if needs_all else ranking.any_of
            for wanted in corpora.draw_queries(texts, QUERIES, words=words):
                found = [(one.id, one.score) for one in rank(corpora.NAME, generation, wanted, limit=10)]
                expected = plain.rank(wanted, limit=10, needs_all=needs_all)
                assert corpora.are_equal(found, expected), wanted
                assert corpora.are_equal(found, full_text.rank(wanted, limit=10, needs_all=needs_all)), wanted


def test_of_equal_scores_the_newest_comes_first() -> None:
    texts = dict.fromkeys(range(1, 13), "the same noodles") | {50: "another text entirely"}
    with corpora.indexed(texts) as generation:
        for rank in (ranking.all_of, ranking.any_of):
            found = rank(corpora.NAME, generation, ["same", "noodles"], limit=10)
            assert [one.id for one in found] == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]


def test_the_walk_compares_with_the_last_wanted_and_not_with_the_best() -> None:
    texts = corpora.make_english(500, seed=5)
    plain = corpora.PlainIndex(texts)
    common = [term for term, _count in plain.with_term.most_common(40)]
    with corpora.indexed(texts) as generation:
        for first in range(0, 36, 3):
            wanted = common[first : first + 3]
            found = [
                (one.id, one.score) for one in ranking.any_of(corpora.NAME, generation, wanted, limit=10)
            ]
            assert corpora.are_equal(found, plain.rank(wanted, limit=10, needs_all=False)), wanted
