"""Ids that nobody has yet: a few are asked about, ten thousand are not."""

import pytest
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from apps.accounts import access
from apps.accounts.models import User
from apps.redis_kit import client
from apps.shops import keys, shop_cache
from apps.web.problems.absent_ids import FREE_MISSES_A_SECOND, WINDOW_SECONDS, AbsentIds
from tests.shops import makers


class Clock:
    """Seconds that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Table:
    """Ids, and how often somebody asked for one or for the largest."""

    def __init__(self, largest: int) -> None:
        self.largest, self.asked, self.largest_asked = largest, 0, 0

    def find_largest(self) -> int:
        self.largest_asked += 1
        return self.largest

    def load(self, row_id: int) -> int:
        self.asked += 1
        if row_id > self.largest:
            raise Http404
        return row_id


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
    absent = AbsentIds(table.find_largest, clock=Clock())
    assert count_misses(absent, table, range(1_000, 11_000)) == 10_000
    assert (table.asked, table.largest_asked) == (FREE_MISSES_A_SECOND, 1)
    assert absent.fetch(50, table.load) == 50


def test_a_row_that_is_made_meanwhile_is_there_a_second_later() -> None:
    table, clock = Table(50), Clock()
    absent = AbsentIds(table.find_largest, clock=clock)
    count_misses(absent, table, range(1_000, 1_100))
    table.largest = 51
    clock.now += WINDOW_SECONDS
    assert absent.fetch(51, table.load) == 51


def test_a_few_absent_ids_change_nothing() -> None:
    table = Table(50)
    absent = AbsentIds(table.find_largest, clock=Clock())
    assert count_misses(absent, table, range(51, 51 + FREE_MISSES_A_SECOND - 1)) == FREE_MISSES_A_SECOND - 1
    table.largest = 60
    assert absent.fetch(60, table.load) == 60


@pytest.mark.django_db(transaction=True)
def test_shops_that_do_not_exist_fill_neither_redis_nor_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    known = makers.shop()
    monkeypatch.setattr(shop_cache.ABSENT_IDS, "_clock", Clock())
    with CaptureQueriesContext(connection) as queries:
        assert not any(shop_cache.get(10**6 + number) for number in range(500))
    assert len(queries) <= FREE_MISSES_A_SECOND + 1
    kept = [client.get().exists(keys.DETAIL(shop=10**6 + number)) for number in range(500)]
    assert sum(kept) <= FREE_MISSES_A_SECOND
    assert shop_cache.get(known.pk)


@pytest.mark.django_db
def test_a_person_is_found_while_many_are_not(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    # A second that ends with this test: others make people.
    monkeypatch.setattr(access.ABSENT_IDS, "_clock", Clock())
    for number in range(2 * FREE_MISSES_A_SECOND):
        with pytest.raises(Http404):
            access.person(10**6 + number)
    assert access.person(alice.pk) == alice
