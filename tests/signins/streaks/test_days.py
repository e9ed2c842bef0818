"""Bits against a set of dates: the same answers for any days of any months."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.signins.streaks import days
from apps.signins.streaks.days import ONE_DAY, CheckInDays, Streak

FIRST, LAST = date(2023, 11, 1), date(2025, 3, 31)
SOME_DAY = st.dates(FIRST, LAST)


@st.composite
def signed_days(draw: st.DrawFn) -> set[date]:
    """Runs of all lengths, over month, year and leap-day borders; and stray days."""
    runs = draw(st.lists(st.tuples(SOME_DAY, st.integers(1, 120)), max_size=6))
    found = {first + number * ONE_DAY for first, length in runs for number in range(length)}
    return {day for day in found | draw(st.sets(SOME_DAY, max_size=20)) if day <= LAST}


def naive_run(signed: set[date], day: date) -> Streak | None:
    if day not in signed:
        return None
    first = last = day
    while first - ONE_DAY in signed:
        first -= ONE_DAY
    while last + ONE_DAY in signed:
        last += ONE_DAY
    return Streak(first, last)


@given(signed_days(), SOME_DAY)
def test_runs_are_those_of_a_set_of_dates(signed: set[date], day: date) -> None:
    found = CheckInDays.from_masks(days.masks_by_month(signed), until=day)
    assert found.streak_at(day) == naive_run(signed, day)
    assert found.has(day) == (day in signed)


@given(signed_days(), SOME_DAY)
def test_the_streak_ends_today_or_yesterday(signed: set[date], today: date) -> None:
    known = {day for day in signed if day <= today}
    expected = naive_run(known, today) or naive_run(known, today - ONE_DAY)
    assert CheckInDays.from_masks(days.masks_by_month(signed), until=today).current(today) == expected


@given(signed_days(), SOME_DAY)
def test_best_total_and_newest_are_those_of_a_set_of_dates(signed: set[date], today: date) -> None:
    found = CheckInDays.from_masks(days.masks_by_month(signed), until=today)
    runs = [naive_run(signed, day) for day in signed]
    assert found.best == max((run.length for run in runs if run), default=0)
    assert found.total == len(signed)
    assert found.newest == max(signed, default=None)


@given(signed_days())
def test_masks_keep_every_day(signed: set[date]) -> None:
    masks = days.masks_by_month(signed)
    assert {day for month, mask in masks.items() for day in days.days_in_mask(month, mask)} == signed
    assert all(0 < mask < 2**31 for mask in masks.values())


@given(SOME_DAY, st.integers(-40, 40))
def test_months_later(day: date, months: int) -> None:
    month = day.replace(day=1)
    moved = days.add_months(month, months)
    assert moved.day == 1
    assert days.add_months(moved, -months) == month
    assert (moved.year * 12 + moved.month) - (month.year * 12 + month.month) == months


@pytest.mark.parametrize(
    ("border", "length"),
    [
        (date(2024, 2, 29), 29),
        (date(2023, 2, 28), 28),
        (date(2026, 4, 30), 30),
        (date(2026, 12, 31), 31),
        (date(2000, 2, 29), 29),
        (date(1900, 2, 28), 28),
    ],
)
def test_a_run_crosses_the_end_of_a_month(border: date, length: int) -> None:
    assert days.month_length(border.replace(day=1)) == length
    around = {border - ONE_DAY, border, border + ONE_DAY, border + 2 * ONE_DAY}
    found = CheckInDays.from_masks(days.masks_by_month(around), until=border + 2 * ONE_DAY)
    assert found.current(border + 2 * ONE_DAY) == Streak(border - ONE_DAY, border + 2 * ONE_DAY)


def test_the_leap_day_breaks_a_run_that_misses_it() -> None:
    around = {date(2024, 2, 28), date(2024, 3, 1)}
    assert CheckInDays.from_masks(days.masks_by_month(around), until=date(2024, 3, 1)).best == 1
    without_leap_day = {date(2023, 2, 28), date(2023, 3, 1)}
    assert CheckInDays.from_masks(days.masks_by_month(without_leap_day), until=date(2023, 3, 1)).best == 2


def test_nothing_signed() -> None:
    found = CheckInDays.from_masks({}, until=date(2026, 11, 21))
    assert (found.total, found.best, found.newest, found.current(date(2026, 11, 21))) == (0, 0, None, None)


def test_the_last_month_there_is() -> None:
    assert CheckInDays.from_masks({date(9999, 12, 1): 1}, until=date(9999, 12, 31)).newest == date(
        9999, 12, 31
    )


def test_ten_years_in_a_row() -> None:
    first = date(2016, 1, 1)
    decade = {first + timedelta(days=number) for number in range(3653)}
    assert CheckInDays.from_masks(days.masks_by_month(decade), until=max(decade)).best == 3653


def test_the_bits_are_those_of_redis() -> None:
    """Day 1 is the highest of u31, day 31 the lowest."""
    assert days.day_bit(date(2026, 11, 1)) == 2**30
    assert days.day_bit(date(2026, 10, 31)) == 1
