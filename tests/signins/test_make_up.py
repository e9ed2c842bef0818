from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from apps.accounts.models import User
from apps.problems import Problem
from apps.signins import calendar, makeups, points
from apps.signins.days import DAY
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.record import Signed
from tests.races import race
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)


def refused(user: User, day: date) -> str:
    before = list(Standing.objects.values()), list(PointEntry.objects.values())
    with pytest.raises(Problem) as why:
        makeups.make_up(user, day)
    assert (list(Standing.objects.values()), list(PointEntry.objects.values())) == before, "nothing half done"
    return why.value.code


def test_it_joins_two_streaks_at_once(alice: User) -> None:
    makers.signed(alice, [*makers.row(TODAY, 4), *makers.row(TODAY - 5 * DAY, 10)], points=60)
    found = makeups.make_up(alice, TODAY - 4 * DAY)
    assert (found.streak, found.best, found.total) == (15, 15, 15)
    assert calendar.glance(alice.pk).streak == 15


def test_it_costs_points_and_pays_none_of_a_day(alice: User) -> None:
    makers.signed(alice, [TODAY], points=60)
    assert makeups.make_up(alice, TODAY - 2 * DAY).points == 60 - points.MAKE_UP_PRICE
    entry = PointEntry.objects.get(reason="make_up")
    assert (entry.amount, entry.day) == (-points.MAKE_UP_PRICE, TODAY - 2 * DAY)


def test_it_wins_what_the_longer_streak_wins(alice: User) -> None:
    makers.signed(alice, [*makers.row(TODAY, 3), *makers.row(TODAY - 4 * DAY, 3)], points=50)
    found = makeups.make_up(alice, TODAY - 3 * DAY)
    assert (found.streak, found.won, found.points) == (7, 30, 30)


def test_it_wins_nothing_twice(alice: User) -> None:
    """The streak has had its reward; a day more at its beginning makes it no other streak."""
    makers.signed(alice, makers.row(TODAY - DAY, 6), points=50)
    assert calendar.sign_in(alice).won == points.DAILY + 30
    assert makeups.make_up(alice, TODAY - 7 * DAY).won == 0


def test_a_streak_that_ended_yesterday_lives_again(alice: User) -> None:
    makers.signed(alice, makers.row(TODAY - 2 * DAY, 9), points=50)
    assert calendar.glance(alice.pk).streak == 0
    assert makeups.make_up(alice, TODAY - DAY).streak == 10


def test_three_days_of_a_month(alice: User) -> None:
    makers.signed(alice, [TODAY], points=500)
    for number in (2, 4, 6):
        makeups.make_up(alice, TODAY - number * DAY)
    assert makeups.left(alice.pk, date(2026, 11, 1)) == 0
    assert refused(alice, TODAY - 8 * DAY) == "none_left"
    assert makeups.make_up(alice, date(2026, 10, 31)).new, "another month has its own three"


def test_no_day_to_come_nor_today(alice: User) -> None:
    makers.signed(alice, [TODAY - DAY], points=500)
    assert [refused(alice, TODAY + number * DAY) for number in (0, 1, 400)] == ["future"] * 3


def test_the_day_that_is_over_is_the_sites(alice: User, clock: time_machine.Traveller) -> None:
    makers.signed(alice, [TODAY - DAY], points=500)
    clock.move_to(datetime(2026, 11, 21, 15, 59, tzinfo=UTC))
    assert refused(alice, TODAY) == "future"
    clock.move_to(datetime(2026, 11, 21, 16, 0, tzinfo=UTC))
    assert makeups.make_up(alice, TODAY).new


def test_no_day_before_the_window(alice: User) -> None:
    makers.signed(alice, [TODAY], points=500)
    assert refused(alice, TODAY - 31 * DAY) == "too_old"
    assert makeups.make_up(alice, TODAY - 30 * DAY).new


def test_no_day_before_one_joined(alice: User) -> None:
    makers.signed(alice, [TODAY], points=500)
    makers.joined(alice, TODAY - 3 * DAY)
    assert refused(alice, TODAY - 4 * DAY) == "too_old"
    assert makeups.make_up(alice, TODAY - 3 * DAY).new


def test_no_day_twice(alice: User) -> None:
    makers.signed(alice, [TODAY], points=500)
    makeups.make_up(alice, TODAY - DAY)
    assert refused(alice, TODAY - DAY) == "already_signed"


def test_no_day_without_points(alice: User) -> None:
    makers.signed(alice, [TODAY], points=points.MAKE_UP_PRICE - 1)
    assert refused(alice, TODAY - DAY) == "no_points"


def test_who_never_signed_in_has_no_points(bob: User) -> None:
    makers.joined(bob, TODAY - 30 * DAY)
    assert refused(bob, TODAY - DAY) == "no_points"
    assert not Standing.objects.filter(user=bob).exists()


def test_two_at_once_with_points_for_one(alice: User) -> None:
    makers.signed(alice, [TODAY], points=points.MAKE_UP_PRICE)
    answers = race(8, lambda number: makeups.make_up(alice, TODAY - (number + 1) * DAY))
    assert sum(isinstance(one, Signed) for one in answers) == 1
    assert codes(answers) == {"no_points": 7}
    assert Standing.objects.get(user=alice).points == 0
    assert sum(mask.bit_count() for mask in SignInMonth.objects.values_list("mask", flat=True)) == 2


def test_the_same_day_many_times_at_once_costs_once(alice: User) -> None:
    makers.signed(alice, [TODAY], points=500)
    answers = race(8, lambda _: makeups.make_up(alice, TODAY - DAY))
    assert codes(answers) == {"already_signed": 7}
    assert Standing.objects.get(user=alice).points == 500 - points.MAKE_UP_PRICE


def test_many_days_at_once_are_three(alice: User) -> None:
    makers.signed(alice, [TODAY], points=5000)
    answers = race(8, lambda number: makeups.make_up(alice, TODAY - (number + 1) * DAY))
    assert codes(answers) == {"none_left": 5}


def codes(answers: list[Any]) -> dict[str, int]:
    return dict(Counter(one.code for one in answers if isinstance(one, Problem)))


def test_points_are_given_and_taken_by_hand_but_never_below_none(alice: User) -> None:
    points.adjust(alice.pk, 30, note="Sorry for the outage")
    points.adjust(alice.pk, -20, note="Counted twice")
    with pytest.raises(points.NotEnough):
        points.adjust(alice.pk, -11, note="Too much")
    assert Standing.objects.get(user=alice).points == 10
    assert PointEntry.objects.filter(user=alice).count() == 2


def test_it_works_without_redis(alice: User, redis_away: None) -> None:
    makers.signed(alice, [TODAY], points=50)
    assert makeups.make_up(alice, TODAY - DAY).streak == 2
