from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from apps.accounts.models import User
from apps.signins import calendars, check_ins, points
from apps.signins.check_ins import CheckInResult
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks.days import ONE_DAY
from apps.web.problems import Problem
from tests.races import race
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)


def refusal_code(user: User, day: date) -> str:
    before = list(Standing.objects.values()), list(PointEntry.objects.values())
    with pytest.raises(Problem) as why:
        check_ins.make_up(user, day)
    assert (list(Standing.objects.values()), list(PointEntry.objects.values())) == before, "nothing half done"
    return why.value.code


def test_it_joins_two_streaks_at_once(alice: User) -> None:
    makers.checked_in_on(
        alice, [*makers.days_in_a_row(TODAY, 4), *makers.days_in_a_row(TODAY - 5 * ONE_DAY, 10)], points=60
    )
    found = check_ins.make_up(alice, TODAY - 4 * ONE_DAY)
    assert (found.streak, found.best, found.total) == (15, 15, 15)
    assert calendars.summarize_today(alice.pk).streak == 15


def test_it_costs_points_and_pays_none_of_a_day(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=60)
    assert check_ins.make_up(alice, TODAY - 2 * ONE_DAY).points == 60 - points.MAKE_UP_PRICE
    entry = PointEntry.objects.get(reason="make_up")
    assert (entry.amount, entry.day) == (-points.MAKE_UP_PRICE, TODAY - 2 * ONE_DAY)


def test_it_wins_what_the_longer_streak_wins(alice: User) -> None:
    makers.checked_in_on(
        alice, [*makers.days_in_a_row(TODAY, 3), *makers.days_in_a_row(TODAY - 4 * ONE_DAY, 3)], points=50
    )
    found = check_ins.make_up(alice, TODAY - 3 * ONE_DAY)
    assert (found.streak, found.won, found.points) == (7, 30, 30)


def test_it_wins_nothing_twice(alice: User) -> None:
    """The streak has had its reward; a day more at its beginning makes it no other streak."""
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 6), points=50)
    assert check_ins.check_in_today(alice.pk).won == points.DAILY_POINTS + 30
    assert check_ins.make_up(alice, TODAY - 7 * ONE_DAY).won == 0


def test_a_streak_that_ended_yesterday_lives_again(alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - 2 * ONE_DAY, 9), points=50)
    assert calendars.summarize_today(alice.pk).streak == 0
    assert check_ins.make_up(alice, TODAY - ONE_DAY).streak == 10


def test_three_days_of_a_month(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=500)
    for number in (2, 4, 6):
        check_ins.make_up(alice, TODAY - number * ONE_DAY)
    assert check_ins.count_make_ups_left(alice.pk, date(2026, 11, 1)) == 0
    assert refusal_code(alice, TODAY - 8 * ONE_DAY) == "none_left"
    assert check_ins.make_up(alice, date(2026, 10, 31)).new, "another month has its own three"


def test_no_day_to_come_nor_today(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY - ONE_DAY], points=500)
    assert [refusal_code(alice, TODAY + number * ONE_DAY) for number in (0, 1, 400)] == ["future"] * 3


def test_the_day_that_is_over_is_the_sites(alice: User, clock: time_machine.Traveller) -> None:
    makers.checked_in_on(alice, [TODAY - ONE_DAY], points=500)
    clock.move_to(datetime(2026, 11, 21, 15, 59, tzinfo=UTC))
    assert refusal_code(alice, TODAY) == "future"
    clock.move_to(datetime(2026, 11, 21, 16, 0, tzinfo=UTC))
    assert check_ins.make_up(alice, TODAY).new


def test_no_day_before_the_window(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=500)
    assert refusal_code(alice, TODAY - 31 * ONE_DAY) == "too_old"
    assert check_ins.make_up(alice, TODAY - 30 * ONE_DAY).new


def test_no_day_before_one_joined(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=500)
    makers.set_join_date(alice, TODAY - 3 * ONE_DAY)
    assert refusal_code(alice, TODAY - 4 * ONE_DAY) == "too_old"
    assert check_ins.make_up(alice, TODAY - 3 * ONE_DAY).new


def test_no_day_twice(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=500)
    check_ins.make_up(alice, TODAY - ONE_DAY)
    assert refusal_code(alice, TODAY - ONE_DAY) == "already_signed"


def test_no_day_without_points(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=points.MAKE_UP_PRICE - 1)
    assert refusal_code(alice, TODAY - ONE_DAY) == "no_points"


def test_who_never_signed_in_has_no_points(bob: User) -> None:
    makers.set_join_date(bob, TODAY - 30 * ONE_DAY)
    assert refusal_code(bob, TODAY - ONE_DAY) == "no_points"
    assert not Standing.objects.filter(user=bob).exists()


@pytest.mark.both_databases
def test_two_at_once_with_points_for_one(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=points.MAKE_UP_PRICE)
    answers = race(8, lambda number: check_ins.make_up(alice, TODAY - (number + 1) * ONE_DAY))
    assert sum(isinstance(one, CheckInResult) for one in answers) == 1
    assert count_codes(answers) == {"no_points": 7}
    assert Standing.objects.get(user=alice).points == 0
    assert sum(mask.bit_count() for mask in SignInMonth.objects.values_list("mask", flat=True)) == 2


@pytest.mark.both_databases
def test_the_same_day_many_times_at_once_costs_once(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=500)
    answers = race(8, lambda _: check_ins.make_up(alice, TODAY - ONE_DAY))
    assert count_codes(answers) == {"already_signed": 7}
    assert Standing.objects.get(user=alice).points == 500 - points.MAKE_UP_PRICE


@pytest.mark.both_databases
def test_many_days_at_once_are_three(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=5000)
    answers = race(8, lambda number: check_ins.make_up(alice, TODAY - (number + 1) * ONE_DAY))
    assert count_codes(answers) == {"none_left": 5}


def count_codes(answers: list[Any]) -> dict[str, int]:
    return dict(Counter(one.code for one in answers if isinstance(one, Problem)))


def test_points_are_given_and_taken_by_hand_but_never_below_none(alice: User) -> None:
    points.adjust(alice.pk, 30, note="Sorry for the outage")
    points.adjust(alice.pk, -20, note="Counted twice")
    with pytest.raises(points.NotEnoughPoints):
        points.adjust(alice.pk, -11, note="Too much")
    assert Standing.objects.get(user=alice).points == 10
    assert PointEntry.objects.filter(user=alice).count() == 2


def test_it_works_without_redis(alice: User, redis_away: None) -> None:
    makers.checked_in_on(alice, [TODAY], points=50)
    assert check_ins.make_up(alice, TODAY - ONE_DAY).streak == 2


def test_the_open_days_are_those_that_can_be_made_up(alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4), points=500)
    found = check_ins.list_open_days(alice)
    assert found[0] == TODAY - 4 * ONE_DAY
    assert all(check_ins.find_make_up_refusal(alice, day) is None for day in found)
    assert len(found) == check_ins.MAKE_UP_AGE.days - 3
    for day in found[: check_ins.MAKE_UPS_PER_MONTH]:
        check_ins.make_up(alice, day)
    assert {day.month for day in check_ins.list_open_days(alice)} == {10}, "this month's are used up"
    makers.set_join_date(alice, TODAY)
    assert check_ins.list_open_days(alice) == []
