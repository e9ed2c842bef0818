from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import pytest
import redis
import time_machine
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import calendars, check_ins, limits, points
from apps.signins.check_ins import CheckInResult
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, days
from apps.signins.streaks.days import ONE_DAY
from apps.web.problems import Problem
from tests.races import race
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
MONTH = date(2026, 11, 1)


def test_the_first_sign_in(alice: User) -> None:
    assert check_ins.check_in_today(alice.pk) == CheckInResult(
        TODAY, new=True, streak=1, best=1, total=1, points=points.DAILY_POINTS, won=points.DAILY_POINTS
    )
    assert SignInMonth.objects.filter(user=alice).masks() == {MONTH: days.day_bit(TODAY)}


def test_the_second_one_of_a_day_changes_nothing(alice: User) -> None:
    first = check_ins.check_in_today(alice.pk)
    again = check_ins.check_in_today(alice.pk)
    assert (again.new, again.won) == (False, 0)
    assert (again.streak, again.total, again.points) == (first.streak, first.total, first.points)


@pytest.mark.both_databases
def test_a_hundred_at_once_are_one(alice: User) -> None:
    answers: list[Any] = race(100, lambda _: check_ins.check_in_today(alice.pk))
    assert Counter(answer.new for answer in answers) == {True: 1, False: 99}
    assert PointEntry.objects.filter(user=alice).count() == 1
    assert Standing.objects.get(user=alice).points == points.DAILY_POINTS


def test_a_streak_grows_day_by_day_over_the_new_year(alice: User, clock: time_machine.Traveller) -> None:
    for number in range(60):
        clock.move_to(makers.noon(date(2026, 12, 1) + number * ONE_DAY))
        assert check_ins.check_in_today(alice.pk).streak == number + 1
    assert calendars.summarize_today(alice.pk) == calendars.TodaySummary(checked_in_today=True, streak=60)


def test_a_missed_day_begins_a_new_streak_and_keeps_the_best(
    alice: User, clock: time_machine.Traveller
) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - 2 * ONE_DAY, 5))
    found = check_ins.check_in_today(alice.pk)
    assert (found.streak, found.best, found.total) == (1, 5, 6)


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 11, 21, 15, 59, 59, tzinfo=UTC), date(2026, 11, 21)),
        (datetime(2026, 11, 21, 16, 0, 0, tzinfo=UTC), date(2026, 11, 22)),
        (datetime(2026, 12, 31, 15, 59, tzinfo=UTC), date(2026, 12, 31)),
        (datetime(2026, 12, 31, 16, 1, tzinfo=UTC), date(2027, 1, 1)),
        (datetime(2028, 2, 28, 16, 0, tzinfo=UTC), date(2028, 2, 29)),
    ],
)
def test_the_day_ends_at_midnight_of_the_site_not_of_utc(
    alice: User, clock: time_machine.Traveller, moment: datetime, day: date
) -> None:
    clock.move_to(moment)
    assert check_ins.check_in_today(alice.pk).day == day


def test_two_sign_ins_around_midnight_are_two_days(alice: User, clock: time_machine.Traveller) -> None:
    clock.move_to(datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC))
    check_ins.check_in_today(alice.pk)
    clock.move_to(datetime(2026, 11, 30, 16, 0, 0, tzinfo=UTC))
    found = check_ins.check_in_today(alice.pk)
    assert (found.new, found.streak) == (True, 2)


def test_a_site_that_moves_west_loses_no_day(alice: User, settings: Settings) -> None:
    """Shanghai is a day ahead of Honolulu for most of the day: a day can come twice, but counts once."""
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 3))
    settings.TIME_ZONE = "Pacific/Honolulu"
    found = check_ins.check_in_today(alice.pk)
    assert (found.day, found.new, found.total) == (TODAY - ONE_DAY, False, 3)
    assert calendars.build_month(alice, None).streak == 2


@pytest.mark.parametrize(("length", "won"), [(6, 30), (7, 0), (29, 150), (30, 0)])
def test_rewards_at_7_and_30_days(alice: User, length: int, won: int) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, length))
    for reward in points.REWARDS:
        if length >= reward.days:
            points.pay(alice.pk, 0, reason=reward.reason, day=TODAY - length * ONE_DAY)
    assert check_ins.check_in_today(alice.pk).won == points.DAILY_POINTS + won


def test_a_reward_comes_once_a_streak(alice: User, clock: time_machine.Traveller) -> None:
    won = 0
    for number in range(40):
        clock.move_to(makers.noon(TODAY + number * ONE_DAY))
        won += check_ins.check_in_today(alice.pk).won
    assert won == 40 * points.DAILY_POINTS + 30 + 150
    clock.shift(2 * ONE_DAY)
    again = [check_ins.check_in_today(alice.pk).won]
    for _ in range(6):
        clock.shift(ONE_DAY)
        again.append(check_ins.check_in_today(alice.pk).won)
    assert again == [points.DAILY_POINTS] * 6 + [points.DAILY_POINTS + 30], "another streak"


def test_the_ledger_adds_up_to_the_balance(alice: User, clock: time_machine.Traveller) -> None:
    for number in range(10):
        clock.move_to(makers.noon(TODAY + number * ONE_DAY))
        check_ins.check_in_today(alice.pk)
    moved = PointEntry.objects.filter(user=alice).values_list("amount", flat=True)
    assert Standing.objects.get(user=alice).points == sum(moved)


def test_a_loop_is_told_to_wait(alice: User) -> None:
    for _ in range(limits.ATTEMPTS.allowed):
        limits.charge(alice.pk)
    with pytest.raises(Problem) as refused:
        limits.charge(alice.pk)
    assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
    assert refused.value.retry_after


def test_the_month_in_redis_is_whole_and_expires(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, [TODAY - ONE_DAY])
    check_ins.check_in_today(alice.pk)
    key = bitmaps.month_key(alice.pk, MONTH)
    expected = days.day_bit(TODAY) | days.day_bit(TODAY - ONE_DAY)
    assert bitmaps.read_cached([(alice.pk, MONTH)]) == {(alice.pk, MONTH): expected}
    assert 0 < guarded_redis.ttl(key) <= bitmaps.MONTH_TTL.total_seconds()


def test_a_bit_in_a_lost_month_is_not_taken_for_all_of_it(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 9))
    guarded_redis.flushall()
    guarded_redis.setbit(bitmaps.month_key(alice.pk, MONTH), TODAY.day - 1, 1)
    guarded_redis.expire(bitmaps.month_key(alice.pk, MONTH), 60)
    assert calendars.summarize_today(alice.pk).streak == 9


def test_a_slow_reader_does_not_undo_a_sign_in(alice: User) -> None:
    """It fills in what SQL said before the sign-in."""
    check_ins.check_in_today(alice.pk)
    bitmaps.fill_masks({(alice.pk, MONTH): 0})
    assert calendars.summarize_today(alice.pk).checked_in_today


def test_12_months_are_one_round_trip(alice: User, round_trips: list[object]) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 10))
    calendars.summarize_today(alice.pk)
    round_trips.clear()
    assert calendars.summarize_today(alice.pk).streak == 10
    assert len(round_trips) == 1


def test_a_streak_of_400_days_takes_two(
    alice: User, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 400))
    calendars.summarize_today(alice.pk)
    round_trips.clear()
    with django_assert_num_queries(0):
        assert calendars.summarize_today(alice.pk).streak == 400
    assert len(round_trips) == 2


def test_a_streak_that_fills_its_first_month_is_not_cut(alice: User) -> None:
    """It begins exactly where the first 12 months do."""
    first = date(2025, 12, 1)
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, (TODAY - first).days + 1))
    assert calendars.summarize_today(alice.pk).streak == (TODAY - first).days + 1


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize("length", [30, 400])
def test_a_sign_in_costs_the_same_whatever_the_streak(
    alice: User, length: int, django_assert_num_queries: DjangoAssertNumQueries, round_trips: list[object]
) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, length))
    for reward in points.REWARDS:
        points.pay(alice.pk, 0, reason=reward.reason, day=TODAY - length * ONE_DAY)
    with django_assert_num_queries(15):
        check_ins.check_in_today(alice.pk)
    assert len(round_trips) == 1


def test_it_works_without_redis(alice: User, redis_away: None) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 3))
    assert check_ins.check_in_today(alice.pk).streak == 4
    assert calendars.summarize_today(alice.pk) == calendars.TodaySummary(checked_in_today=True, streak=4)
    assert calendars.build_month(alice, None).days[-1] == TODAY


def test_redis_catches_up_at_the_next_look(alice: User, guarded_redis: redis.Redis) -> None:
    """A sign-in of which Redis heard nothing, though it has the month."""
    bitmaps.fill_masks({(alice.pk, MONTH): 0})
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 2))
    assert calendars.summarize_today(alice.pk).streak == 0
    assert calendars.build_month(alice, None).streak == 2
    assert client.get().exists(bitmaps.month_key(alice.pk, MONTH))
    assert calendars.summarize_today(alice.pk).streak == 2
