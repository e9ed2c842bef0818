"""A month as a calendar draws it: weeks from Monday on, and what each day is."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from apps.signins.streaks import days
from apps.signins.streaks.days import ONE_DAY

DayState = Literal["signed", "missed", "today", "future", "before"]
WEEK_DAYS = 7


@dataclass(frozen=True)
class DayCell:
    """A day. `after` and `next` tell whether the streak comes from the day before and goes on to the next."""

    day: date
    state: DayState
    is_today: bool = False
    after: bool = False
    next: bool = False
    can_make_up: bool = False


def build_weeks(
    month: date, signed: Iterable[date], *, today: date, joined: date, makeups_since: date | None
) -> list[list[DayCell | None]]:
    """Rows of seven, None beside the month; days from `makeups_since` on can be made up, none for None."""
    known = set(signed)

    def cell(day: date) -> DayCell:
        state = _day_state(day, known, today=today, joined=joined)
        return DayCell(
            day,
            state,
            is_today=day == today,
            after=state == "signed" and day - ONE_DAY in known,
            next=state == "signed" and day + ONE_DAY in known,
            can_make_up=state == "missed" and makeups_since is not None and day >= makeups_since,
        )

    cells: list[DayCell | None] = [None] * month.weekday()
    cells += [cell(day) for day in days.days_in_month(month)]
    cells += [None] * (-len(cells) % WEEK_DAYS)
    return [cells[start : start + WEEK_DAYS] for start in range(0, len(cells), WEEK_DAYS)]


def _day_state(day: date, signed: set[date], *, today: date, joined: date) -> DayState:
    if day in signed:
        return "signed"
    if day == today:
        return "today"
    if day > today:
        return "future"
    return "missed" if day >= joined else "before"
