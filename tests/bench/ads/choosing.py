"""Choosing among 100,000 ads: exact, and what a call costs, beside the book's unions."""

import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple, cast

from apps.ads import serving
from apps.ads.learning.records import Record
from apps.ads.serving import Viewer
from apps.redis_kit import client
from tests.ads import pages
from tests.bench import performance_page
from tests.bench.ads import book

ADS, PAGES, CALLS, BOOK_CALLS = 100_000, 1_000, 20_000, 200
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
    records = pages.make_records(ADS // 10 if fast else ADS, draw)
    pages.load(records)
    book.load(records)
    some_pages = [make_page(draw) for _ in range(PAGES)]
    exact = count_exact(records, some_pages[: 20 if fast else PAGES])
    looked = count_looked(some_pages)
    calls = CALLS // 10 if fast else CALLS
    ours = measure_calls(lambda page: choose(page, draw), some_pages, calls)
    theirs = measure_calls(lambda page: book.choose(*page), some_pages, BOOK_CALLS)
    rows = [_row("one Lua call by ceilings", ours), _row("the book's unions", theirs)]
    head = ("way", "Redis, us", "client, us", "p50, us", "p99, us", "calls a second of a core of Redis")
    return (
        f"Choosing among {len(records):,} ads on pages of 6 words and 3 places. {exact} winners of a plain "
        f"Python maximum; ads looked at: {median(looked):.0f}, at most {max(looked)}. Bars: {MAX_US} us, "
        f"{MIN_PER_CORE:,} a second of a core, p99 {MAX_P99_MS} ms.\n\n"
        + performance_page.markdown_table(head, rows)
    )


def make_page(draw: random.Random) -> Page:
    """Six words, and an area, its city and everywhere."""
    return draw.sample(pages.WORDS, 6), PLACES


def choose(page: Page, draw: random.Random) -> serving.Served | None:
    return serving.choose("shop", page[0], page[1], Viewer(f"viewer-{draw.randrange(10_000)}"))


def count_exact(records: dict[int, Record], some_pages: Sequence[Page]) -> str:
    """ "1000 of 1000": how many winners have the highest value of all."""
    here = {number: record for number, record in records.items() if not set(PLACES).isdisjoint(record.places)}
    draw, exact = random.Random(1), 0
    for page in some_pages:
        served = choose(page, draw)
        exact += served is not None and served.value == max(record.value(page[0]) for record in here.values())
    return f"{exact} of {len(some_pages)}"


def count_looked(some_pages: Sequence[Page]) -> list[int]:
    """How many ads each page read; a winner's and a candidate's campaign are read too."""
    draw, looked = random.Random(2), []
    for page in some_pages[:300]:
        before = _zrevrange_and_hget()
        choose(page, draw)
        looked.append(_zrevrange_and_hget() - before)
    return looked


def _zrevrange_and_hget() -> int:
    stats = cast(dict[str, dict[str, int]], client.get().info("commandstats"))
    # An ad that could win costs four more: its campaign, what is left, what is spent, how often it was seen.
    return (
        stats.get("cmdstat_hget", {"calls": 0})["calls"]
        - 4 * stats.get("cmdstat_sismember", {"calls": 0})["calls"]
    )


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
