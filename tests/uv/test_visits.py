"""Days, weeks and months: merged HyperLogLogs, and honesty about what is no longer known."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from apps.redis_kit import client
from apps.uv import counting, keys, visitors, visits
from apps.uv.page_kinds import Scope
from tests.factories import DailyVisitsFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 21, 4, tzinfo=UTC)
TODAY = date(2026, 11, 21)
SITE, SHOP = Scope(), Scope("shop", 7)


@pytest.fixture(autouse=True)
def now() -> object:
    with time_machine.travel(NOON, tick=False):
        yield


def look(*names: int, ago: int = 0) -> None:
    with time_machine.travel(NOON - timedelta(days=ago), tick=False):
        for name in names:
            counting.count(counting.View(SHOP, visitors.digest(f"{name:022}")))


def ask(scope: Scope = SHOP, *, first: int = 6, last: int = 0) -> visits.Report:
    return visits.build_report(scope, TODAY - timedelta(days=first), TODAY - timedelta(days=last))


def test_somebody_who_comes_every_day_is_one_visitor_of_the_week() -> None:
    for ago in range(10):
        look(1, 2, ago=ago)
    look(3, ago=5)
    look(4, ago=8)
    found = ask()
    assert [day.uv for day in found.days] == [2, 3, 2, 2, 2, 2, 2]
    assert found.week == visits.Count(3, 15)
    assert found.month == visits.Count(4, 22)
    assert found.total == found.week


def test_a_total_is_of_the_days_asked_for() -> None:
    look(1, ago=1)
    look(2, ago=3)
    assert ask(first=2, last=1).total == visits.Count(1, 1)


@pytest.mark.parametrize("scope", [SITE, Scope("shop"), SHOP])
def test_every_scope_is_merged(scope: Scope) -> None:
    look(1, 2, ago=1)
    look(2, 3)
    assert ask(scope).week == visits.Count(3, 4)


def test_days_without_a_view_are_zero() -> None:
    assert [(day.uv, day.pv) for day in ask().days] == [(0, 0)] * 7
    assert ask().month == visits.Count(0, 0)


def test_what_is_not_in_sql_yet_is_shown_at_once() -> None:
    look(1)
    visits.write_counts()
    look(2)
    assert ask().days[-1] == visits.Day(TODAY, 2, 2)


def test_a_lost_day_keeps_its_numbers_and_makes_the_week_unknown() -> None:
    look(1, 2, ago=1)
    visits.write_counts()
    client.get().delete(keys.OBJECT_VISITORS(scope="shop", day=str(TODAY - timedelta(days=1)), object=7))
    look(1)
    found = ask()
    assert [day.uv for day in found.days[-2:]] == [2, 1]
    assert (found.week, found.month) == (visits.Count(None, 3), visits.Count(None, 3))
    assert ask(first=0).total == visits.Count(1, 1)


def test_visitors_of_days_long_past_are_unknown_and_their_views_are_not() -> None:
    DailyVisitsFactory.create(day=TODAY - timedelta(days=60), scope="shop", object_id=7, uv=5, pv=9)
    found = ask(first=70, last=50)
    assert (found.total, len(found.days)) == (visits.Count(None, 9), 21)


def test_the_time_before_the_first_visitor_is_known() -> None:
    look(1)
    assert ask(first=300).total == visits.Count(1, 1)


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_snapshots_answer() -> None:
    DailyVisitsFactory.create(day=TODAY, scope="shop", object_id=7, uv=5, pv=9)
    found = ask()
    assert found.days[-1] == visits.Day(TODAY, 5, 9)
    assert found.week == visits.Count(None, 9)


def test_a_year_costs_one_query_and_one_round_trip(
    django_assert_num_queries: object, round_trips: list[object]
) -> None:
    look(1)
    round_trips.clear()
    with django_assert_num_queries(1):  # type: ignore[operator]
        ask(first=365)
    assert len(round_trips) == 1
