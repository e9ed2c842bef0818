"""A month as a calendar grid: weeks from Monday on, each day with its state."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from apps.signins.streaks import days
from apps.signins.streaks.days import ONE_DAY

DayState = Literal["checked", "missed", "today", "future", "before"]
WEEK_DAYS = 7


@dataclass(frozen=True)
class DayCell:
    """A day of the grid.

    `joins_previous` and `joins_next` say that the neighbour belongs to the same streak.
    """

    day: date
    state: DayState
    is_today: bool = False
    joins_previous: bool = False
    joins_next: bool = False
    can_make_up: bool = False


def build_weeks(
    month: date, checked_days: Iterable[date], *, today: date, joined: date, makeups_since: date | None
) -> list[list[DayCell | None]]:
    """Weeks of seven cells, None for days outside the month.

    Missed days from `makeups_since` on can be made up; with None no day can.
    """
    known = set(checked_days)

    def cell(day: date) -> DayCell:
        state = _day_state(day, known, today=today, joined=joined)
        return DayCell(
            day,
            state,
            is_today=day == today,
            joins_previous=state == "checked" and day - ONE_DAY in known,
            joins_next=state == "checked" and day + ONE_DAY in known,
            can_make_up=state == "missed" and makeups_since is not None and day >= makeups_since,
        )

    cells: list[DayCell | None] = [None] * month.weekday()
    cells += [cell(day) for day in days.days_in_month(month)]
    cells += [None] * (-len(cells) % WEEK_DAYS)
    return [cells[start : start + WEEK_DAYS] for start in range(0, len(cells), WEEK_DAYS)]


def _day_state(day: date, checked_days: set[date], *, today: date, joined: date) -> DayState:
    if day in checked_days:
        return "checked"
    if day == today:
        return "today"
    if day > today:
        return "future"
    return "missed" if day >= joined else "before"
