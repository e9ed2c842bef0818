"""The counts of a day in SQL: repeatable, right at the site's midnight, and never smaller than before."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.redis_kit import client
from apps.uv import counting, days, tasks, visitors, visits
from apps.uv.models import DailyVisits
from apps.uv.page_kinds import Scope
from tests.factories import DailyVisitsFactory
from tests.uv.browsing import read_counts

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
#: A minute before midnight in Shanghai.
LATE = datetime(2026, 11, 21, 15, 59, tzinfo=UTC)
TODAY, TOMORROW = date(2026, 11, 21), date(2026, 11, 22)


def look(object_id: int, *names: int) -> None:
    for name in names:
        counting.count(counting.View(Scope("shop", object_id), visitors.digest(f"{name:022}")))


def rows() -> dict[tuple[date, str, int], tuple[int, int]]:
    return {(one.day, one.scope, one.object_id): (one.uv, one.pv) for one in DailyVisits.objects.all()}


def test_a_day_ends_at_the_sites_midnight() -> None:
    with time_machine.travel(LATE, tick=False) as clock:
        look(7, 1, 2)
        clock.shift(59.9)
        look(7, 1)
        clock.shift(0.2)
        look(7, 1)
        assert (read_counts("shop", 7, day=TODAY), read_counts("shop", 7, day=TOMORROW)) == ((2, 3), (1, 1))
        visits.write_counts()
    assert rows() == {
        (TODAY, "site", 0): (2, 3),
        (TODAY, "shop", 0): (2, 3),
        (TODAY, "shop", 7): (2, 3),
        (TOMORROW, "site", 0): (1, 1),
        (TOMORROW, "shop", 0): (1, 1),
        (TOMORROW, "shop", 7): (1, 1),
    }


def test_a_second_run_changes_nothing_and_a_later_one_goes_on() -> None:
    look(7, 1)
    assert visits.write_counts() == visits.write_counts() == 3
    look(7, 2)
    visits.write_counts()
    assert rows()[(days.today(), "shop", 7)] == (2, 2)
    assert DailyVisits.objects.count() == 3


def test_a_redis_that_forgot_the_day_takes_nothing_away() -> None:
    look(7, 1, 2, 3)
    visits.write_counts()
    client.get().flushall()
    look(7, 1)
    visits.write_counts()
    assert rows()[(days.today(), "shop", 7)] == (3, 3)


def test_days_that_no_run_saw_are_caught_up() -> None:
    with time_machine.travel(LATE - timedelta(days=6), tick=False):
        look(7, 1)
        visits.write_counts()
    with time_machine.travel(LATE - timedelta(days=4), tick=False):
        look(7, 1, 2)
    with time_machine.travel(LATE, tick=False):
        visits.write_counts()
    assert rows()[(TODAY - timedelta(days=4), "shop", 7)] == (2, 2)


def test_many_objects_cost_as_many_round_trips_as_few(round_trips: list[object]) -> None:
    def cost() -> tuple[int, int]:
        visits.write_counts()
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            visits.write_counts()
        return len(round_trips), len(queries)

    look(1, 1)
    few = cost()
    for number in range(2, 40):
        look(number, 1)
    assert cost() == few


def test_the_task_waits_for_a_redis_that_is_away(redis_away: None) -> None:
    assert tasks.snapshot() == 0


def test_old_objects_go_and_the_sites_history_stays() -> None:
    for age, scope, object_id in ((399, "shop", 7), (401, "shop", 7), (4000, "site", 0), (4000, "shop", 0)):
        day = days.today() - timedelta(days=age)
        DailyVisitsFactory.create(day=day, scope=scope, object_id=object_id, uv=1, pv=1)
    assert tasks.tidy() == 1
    assert DailyVisits.objects.count() == 3
