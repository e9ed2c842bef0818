"""Content of the check-in pages: the calendar with its weeks, the make-up dialog, points, and messages."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.signins import calendars, check_ins, points, refusals
from apps.signins.check_ins import CheckInResult
from apps.signins.models import PointEntry, Standing
from apps.signins.points import DAILY_POINTS, MAKE_UP_PRICE, Reward
from apps.signins.streaks import days
from apps.signins.streaks.days import ONE_DAY
from apps.web import paging, short_dates

#: Point entries beside the calendar, and on a page of the list.
MAX_RECENT_ENTRIES = 5
#: Missed days that the list of points offers to make up.
MAX_OFFERED_DAYS = 3

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


@dataclass(frozen=True)
class RewardProgress:
    """Days of the current streak that count towards a reward, at most the reward's own number."""

    reward: Reward
    done: int

    @property
    def reached(self) -> bool:
        return self.done >= self.reward.days


@dataclass(frozen=True)
class CalendarPage:
    """The calendar page: a month, its neighbours to link to (or None), reward progress, the newest point
    entries.
    """

    month: calendars.MonthView
    weeks: list[list[DayCell | None]]
    earlier: date | None
    later: date | None
    rewards: list[RewardProgress]
    entries: list[PointEntry]
    daily: int = DAILY_POINTS
    price: int = MAKE_UP_PRICE

    @property
    def can_make_up(self) -> bool:
        return any(cell.can_make_up for week in self.weeks for cell in week if cell)


@dataclass(frozen=True)
class MakeUpOffer:
    """The question whether to make up a day: its price, the person's points, or the reason why not."""

    day: date
    price: int
    points: int
    refusal: refusals.Refusal | None


@dataclass(frozen=True)
class PointsOffer:
    """What a person's points buy: make-up days. `suffices_for` counts the days that they pay for now.

    `missed` has the days that can be made up, the newest first.
    """

    points: int
    missed: list[date]
    daily: int = DAILY_POINTS
    price: int = MAKE_UP_PRICE

    @property
    def suffices_for(self) -> int:
        return max(0, self.points) // self.price

    @property
    def lacking(self) -> int:
        """The points that are missing for one more day."""
        return self.price - max(0, self.points) % self.price

    @property
    def newest_missed(self) -> list[date]:
        return self.missed[:MAX_OFFERED_DAYS]


def build_points_offer(user: User) -> PointsOffer:
    """What the person's points buy now; four queries."""
    balance = Standing.objects.filter(pk=user.pk).values_list("points", flat=True).first() or 0
    return PointsOffer(balance, check_ins.list_open_days(user))


def build_calendar(user: User, month: date | None) -> CalendarPage:
    """The user's own calendar page; None means the current month."""
    view = calendars.build_month(user, month)
    joined = check_ins.join_date(user)
    first, current = min(joined, *view.days, view.today).replace(day=1), view.today.replace(day=1)
    return CalendarPage(
        month=view,
        weeks=_calendar_weeks(view, joined),
        # A month far outside the person's range links straight back to the nearest month inside it.
        earlier=min(days.add_months(view.month, -1), current) if view.month > first else None,
        later=max(days.add_months(view.month, 1), first) if view.month < current else None,
        rewards=[RewardProgress(reward, min(view.streak, reward.days)) for reward in points.REWARDS],
        entries=list(PointEntry.objects.filter(user=user).order_by("-pk")[:MAX_RECENT_ENTRIES]),
    )


def build_make_up_offer(user: User, day: date) -> MakeUpOffer:
    """The content of the make-up dialog for one day."""
    balance = Standing.objects.filter(pk=user.pk).values_list("points", flat=True).first() or 0
    too_expensive = refusals.NO_POINTS if balance < points.MAKE_UP_PRICE else None
    return MakeUpOffer(
        day, points.MAKE_UP_PRICE, balance, check_ins.find_make_up_refusal(user, day) or too_expensive
    )


def list_point_entries(
    user: User, cursor: str | None, size: int = paging.PAGE_SIZE
) -> paging.Page[PointEntry]:
    """A page of a person's point entries, the newest first; BadCursor."""
    rows = PointEntry.objects.filter(user=user)
    return paging.fetch_page(rows, order=("-id",), types=(int,), cursor=cursor, size=size)


def _calendar_weeks(view: calendars.MonthView, joined: date) -> list[list[DayCell | None]]:
    since = max(joined, view.today - check_ins.MAKE_UP_AGE) if view.makeups_left else None
    return build_weeks(view.month, view.days, today=view.today, joined=joined, makeups_since=since)


def checked_in(result: CheckInResult) -> str:
    """The message after a check-in."""
    if not result.new:
        return _("You already checked in today.")
    return f"{streak_length(result.streak)} {points_won(result)}"


def made_up(result: CheckInResult) -> str:
    """The message after a make-up."""
    day = short_dates.short_day(result.day)
    message = _("%(day)s is made up.") % {"day": day} + " " + streak_length(result.streak)
    return f"{message} {points_won(result)}" if result.won else message


def streak_length(streak: int) -> str:
    """A streak of so many days as a sentence."""
    return ngettext("%(days)d day in a row.", "%(days)d days in a row.", streak) % {"days": streak}


def points_won(result: CheckInResult) -> str:
    """The points that a check-in won as a sentence."""
    won = {"points": result.won}
    return ngettext("You won %(points)d point.", "You won %(points)d points.", result.won) % won
