"""Choosing among 100,000 ads: exact, and what a call costs, beside the book's unions.

Twice: eCPMs as they are after a while, spread wide, where the first ad often wins; and eCPMs within a tenth
of each other, where the words decide and the walk is long.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple, cast

from apps.ads import serving
from apps.ads.learning.prices import Record
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from lab.bench import reports
from lab.bench.ads import book
from tests.ads import pages

ADS, PAGES, CALLS, BOOK_CALLS = 100_000, 1_000, 20_000, 100
USUAL_ECPM = 5_000_000
PLACES = ["area:shanghai/hongkou", "city:shanghai", "everywhere"]
MAX_US, MIN_PER_CORE, MAX_P99_MS = 200, 8_000, 5
Page = tuple[list[str], list[str]]


class Cost(NamedTuple):
    """Of a call: microseconds of processor time in Redis and here, and of the wall at 50 and 99 %."""

    redis_us: float
    client_us: float
    p50_us: float
    p99_us: float


def measure(*, fast: bool) -> str:
    """The table of both ways, and how many winners equal a plain maximum."""
    draw = random.Random(2026)
    many, calls = (ADS // 10, CALLS // 10) if fast else (ADS, CALLS)
    spread = pages.make_records(many, draw)
    alike = {number: _with_usual_ecpm(record, draw) for number, record in spread.items()}
    some_pages = [make_page(draw) for _ in range(PAGES // 10 if fast else PAGES)]
    rows, sentences = [], []
    for name, records in (("spread eCPMs", spread), ("eCPMs within a tenth", alike)):
        client.get().flushall()
        pages.load(records)
        exact = count_exact(records, some_pages)
        looked = count_looked(some_pages)
        sentences.append(f"{name}: {exact} winners of a plain Python maximum, {_describe(looked)}")
        rows.append(
            _row(f"one Lua call, {name}", measure_calls(lambda page: choose(page, draw), some_pages, calls))
        )
    book.load(alike)
    rows.append(
        _row("the book's unions", measure_calls(lambda page: book.choose(*page), some_pages, BOOK_CALLS))
    )
    head = ("way", "Redis, us", "client, us", "p50, us", "p99, us", "calls a second of a core of Redis")
    return (
        f"{many:,} ads, pages of 6 words and 3 places. {'. '.join(sentences)}. Bars: {MAX_US} us, "
        f"{MIN_PER_CORE:,} a second of a core, p99 {MAX_P99_MS} ms.\n\n" + reports.markdown_table(head, rows)
    )


def _with_usual_ecpm(record: Record, draw: random.Random) -> Record:
    ecpm = int(USUAL_ECPM * draw.uniform(0.9, 1.1))
    return replace(
        record, ecpm=ecpm, words={word: int(draw.uniform(-0.6, 0.6) * ecpm) for word in record.words}
    )


def _describe(looked: list[int]) -> str:
    return f"ads looked at {median(looked):.0f} in the middle, at most {max(looked)}"


def make_page(draw: random.Random) -> Page:
    """Six words, and an area, its city and everywhere."""
    return draw.sample(pages.WORDS, 6), PLACES


def choose(page: Page, draw: random.Random) -> serving.Served | None:
    return serving.choose("shop", page[0], page[1], Viewer(f"viewer-{draw.randrange(10_000)}"))


def count_exact(records: dict[int, Record], some_pages: Sequence[Page]) -> str:
    """ "1000 of 1000": how many winners have the highest value of all."""
    here = [record for record in records.values() if not set(PLACES).isdisjoint(record.places)]
    draw, exact = random.Random(1), 0
    for page in some_pages:
        served = choose(page, draw)
        exact += served is not None and served.value == _highest_value(here, page[0])
    return f"{exact} of {len(some_pages)}"


def _highest_value(here: Sequence[Record], words: Sequence[str]) -> int:
    """The plain maximum; an ad with none of the words is worth its eCPM."""
    page_words = set(words)
    return max(record.ecpm if page_words.isdisjoint(record.words) else record.value(words) for record in here)


def count_looked(some_pages: Sequence[Page]) -> list[int]:
    """How many ads each page's walk read."""
    draw, looked = random.Random(2), []
    for page in some_pages[:300]:
        before = _reads_of_ads()
        choose(page, draw)
        looked.append(_reads_of_ads() - before)
    return looked


def _reads_of_ads() -> int:
    stats = cast(dict[str, dict[str, int]], client.get().info("commandstats"))

    def calls(command: str) -> int:
        return stats.get(f"cmdstat_{command}", {"calls": 0})["calls"]

    # HGET reads ads, three facts of each campaign that could win (HMGET its rate), and how often a viewer
    # saw an ad (SISMEMBER whether it is hidden).
    return calls("hget") - 3 * calls("hmget") - calls("sismember")


def measure_calls(call: Callable[[Page], object], some_pages: Sequence[Page], many: int) -> Cost:
    """What a call costs, one after the other."""
    for page in some_pages[:50]:
        call(page)
    redis_before, client_before = _redis_seconds(), time.process_time()
    walls = []
    for number in range(many):
        began = time.perf_counter()
        call(some_pages[number % len(some_pages)])
        walls.append((time.perf_counter() - began) * 1e6)
    redis_us = (_redis_seconds() - redis_before) / many * 1e6
    client_us = (time.process_time() - client_before) / many * 1e6
    walls.sort()
    return Cost(redis_us, client_us, median(walls), walls[len(walls) * 99 // 100])


def _redis_seconds() -> float:
    cpu = cast(dict[str, float], client.get().info("cpu"))
    return cpu["used_cpu_user"] + cpu["used_cpu_sys"]


def _row(name: str, cost: Cost) -> Sequence[str]:
    return (name, *(f"{number:,.0f}" for number in cost), f"{1e6 / cost.redis_us:,.0f}")
