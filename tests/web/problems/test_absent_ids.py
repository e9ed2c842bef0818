"""Ids that nobody has yet: a few are asked about, ten thousand are not."""

import pytest
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from apps.accounts import access
from apps.accounts.models import User
from apps.redis_kit import client
from apps.shops import access as shops_access
from apps.shops import keys, shop_cache
from apps.shops.models import OpenSpan, Shop
from apps.web.problems import absent_ids
from apps.web.problems.absent_ids import (
    BLOCK_IDS,
    BLOCK_SECONDS,
    FREE_MISSES_A_SECOND,
    MAX_BLOCKS,
    WINDOW_SECONDS,
    AbsentIds,
)
from tests.shops import makers


class Clock:
    """Seconds that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Table:
    """Even ids, and how often somebody asked for one, for a block of them or for the largest."""

    def __init__(self, largest: int) -> None:
        self.largest, self.asked, self.largest_asked, self.blocks_asked = largest, 0, 0, 0

    def find_largest(self) -> int:
        self.largest_asked += 1
        return self.largest

    def list_ids(self, first: int, last: int) -> list[int]:
        self.blocks_asked += 1
        return [row_id for row_id in range(first, min(last, self.largest) + 1) if row_id % 2 == 0]

    def load(self, row_id: int) -> int:
        self.asked += 1
        if row_id > self.largest or row_id % 2:
            raise Http404
        return row_id


def build(table: Table, clock: Clock) -> AbsentIds:
    return AbsentIds(table.find_largest, table.list_ids, clock=clock)


def count_misses(absent: AbsentIds, table: Table, ids: range) -> int:
    missed = 0
    for row_id in ids:
        try:
            absent.fetch(row_id, table.load)
        except Http404:
            missed += 1
    return missed


def test_ten_thousand_absent_ids_cost_a_few_questions() -> None:
    table = Table(50)
    absent = build(table, Clock())
    assert count_misses(absent, table, range(1_000, 11_000)) == 10_000
    assert (table.asked, table.largest_asked) == (FREE_MISSES_A_SECOND, 1)
    assert absent.fetch(50, table.load) == 50


def test_ten_thousand_absent_ids_below_the_largest_cost_a_few_questions() -> None:
    table = Table(10**6)
    absent = build(table, Clock())
    assert count_misses(absent, table, range(1, 20_001, 2)) == 10_000
    assert table.largest_asked == 1
    assert table.blocks_asked == 20_000 // BLOCK_IDS + 1
    assert table.asked < FREE_MISSES_A_SECOND + table.blocks_asked
    assert absent.fetch(2, table.load) == 2


def test_a_process_keeps_few_blocks() -> None:
    table = Table(10**9)
    absent = build(table, Clock())
    count_misses(absent, table, range(1, 2 * MAX_BLOCKS * BLOCK_IDS, BLOCK_IDS))
    assert len(absent._blocks) == MAX_BLOCKS
    assert absent.refuses((2 * MAX_BLOCKS - 1) * BLOCK_IDS + 1), "the newest are kept"


def test_rows_that_are_hidden_are_asked_for_without_their_block() -> None:
    """Staff may show such a row again at any moment."""
    table = Table(10**6)
    absent = build(table, Clock())
    hidden = range(0, 2_000, 2)
    for row_id in hidden:
        absent.note_miss(row_id)
    assert table.blocks_asked == 1
    assert not any(absent.refuses(row_id) for row_id in hidden)


@pytest.mark.parametrize(("made", "seconds"), [(10**6 - 1, WINDOW_SECONDS), (BLOCK_IDS + 1, BLOCK_SECONDS)])
def test_a_late_row_is_found(made: int, seconds: float) -> None:
    """Near the largest a transaction may still commit an id that it drew before; far below none should."""
    table, clock = Table(10**6), Clock()
    absent = build(table, clock)
    count_misses(absent, table, range(made - 100, made + 2, 2))
    assert absent.refuses(made)
    clock.now += seconds
    assert absent.fetch(made, lambda row_id: row_id) == made


def test_a_row_that_is_made_meanwhile_is_there_a_second_later() -> None:
    table, clock = Table(50), Clock()
    absent = build(table, clock)
    count_misses(absent, table, range(1_000, 1_100))
    table.largest = 52
    clock.now += WINDOW_SECONDS
    assert absent.fetch(52, table.load) == 52


def test_a_few_absent_ids_change_nothing() -> None:
    table = Table(50)
    absent = build(table, Clock())
    assert count_misses(absent, table, range(51, 51 + FREE_MISSES_A_SECOND - 1)) == FREE_MISSES_A_SECOND - 1
    table.largest = 60
    assert absent.fetch(60, table.load) == 60


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_shops_that_do_not_exist_fill_neither_redis_nor_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    known = makers.shop()
    monkeypatch.setattr(shop_cache, "ABSENT_IDS", absent_ids.of_rows(Shop.objects, clock=Clock()))
    with CaptureQueriesContext(connection) as queries:
        assert not any(shop_cache.get(10**6 + number) for number in range(500))
    assert len(queries) <= FREE_MISSES_A_SECOND + 1
    kept = [client.get().exists(keys.DETAIL(shop=10**6 + number)) for number in range(500)]
    assert sum(kept) <= FREE_MISSES_A_SECOND
    assert shop_cache.get(known.pk)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_absent_shops_below_the_largest_fill_neither_redis_nor_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = makers.shops(2)
    OpenSpan.objects.filter(shop=last).delete()
    Shop.objects.filter(pk=last.pk).update(id=10**6)
    monkeypatch.setattr(shop_cache, "ABSENT_IDS", absent_ids.of_rows(Shop.objects, clock=Clock()))
    # Of one block, wherever PostgreSQL's ids have got to: the first of each block is looked for.
    missing = range(100 * absent_ids.BLOCK_IDS, 100 * absent_ids.BLOCK_IDS + 1_000)
    with CaptureQueriesContext(connection) as queries:
        assert not any(shop_cache.get(shop_id) for shop_id in missing)
    assert len(queries) <= FREE_MISSES_A_SECOND + 4
    assert client.get().exists(*(keys.DETAIL(shop=shop_id) for shop_id in missing)) <= FREE_MISSES_A_SECOND
    with pytest.raises(Http404):
        shops_access.shop(missing[-1])
    assert shop_cache.get(first.pk)


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_person_is_found_while_many_are_not(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    # A second that ends with this test: others make people.
    monkeypatch.setattr(access, "ABSENT_IDS", absent_ids.of_rows(User.objects, clock=Clock()))
    for number in range(2 * FREE_MISSES_A_SECOND):
        with pytest.raises(Http404):
            access.person(10**6 + number)
    assert access.person(alice.pk) == alice
