"""What the pages of sign-ins show."""

from dataclasses import dataclass
from datetime import date

from apps.accounts.models import User
from apps.signins import calendars, makeups, points, refusals
from apps.signins.display import month_grid
from apps.signins.models import PointEntry, Standing
from apps.signins.points import Reward
from apps.signins.streaks import days
from apps.web import paging

#: Movements of points beside the calendar, and on a page of their own.
MAX_RECENT_ENTRIES, PAGE_SIZE = 5, 20


@dataclass(frozen=True)
class RewardProgress:
    """How far a streak is on its way to a reward."""

    reward: Reward
    done: int

    @property
    def reached(self) -> bool:
        return self.done >= self.reward.days


@dataclass(frozen=True)
class CalendarPage:
    """A month, its neighbours if there is something to see, the rewards ahead and the last movements."""

    shown: calendars.MonthView
    weeks: list[list[month_grid.DayCell | None]]
    earlier: date | None
    later: date | None
    rewards: list[RewardProgress]
    entries: list[PointEntry]
    daily: int = points.DAILY_POINTS
    price: int = points.MAKE_UP_PRICE

    @property
    def can_make_up(self) -> bool:
        return any(cell.can_make_up for week in self.weeks for cell in week if cell)


@dataclass(frozen=True)
class MakeUpOffer:
    """A day that could be made up, for how many points, of how many; or why not."""

    day: date
    price: int
    points: int
    refusal: refusals.Refusal | None


def build_calendar(user: User, month: date | None) -> CalendarPage:
    """One's own calendar page."""
    shown = calendars.build_month(user, month)
    joined = makeups.join_date(user)
    first, this = min(joined, *shown.days, shown.today).replace(day=1), shown.today.replace(day=1)
    return CalendarPage(
        shown=shown,
        weeks=_calendar_weeks(shown, joined),
        # From a month far off one comes back to those that have something to show.
        earlier=min(days.add_months(shown.month, -1), this) if shown.month > first else None,
        later=max(days.add_months(shown.month, 1), first) if shown.month < this else None,
        rewards=[RewardProgress(one, min(shown.streak, one.days)) for one in points.REWARDS],
        entries=list(PointEntry.objects.filter(user=user).order_by("-pk")[:MAX_RECENT_ENTRIES]),
    )


def build_make_up_offer(user: User, day: date) -> MakeUpOffer:
    """What the page that asks "make it up?" says."""
    held = Standing.objects.filter(pk=user.pk).values_list("points", flat=True).first() or 0
    too_dear = refusals.NO_POINTS if held < points.MAKE_UP_PRICE else None
    return MakeUpOffer(day, points.MAKE_UP_PRICE, held, makeups.refusal_for(user, day) or too_dear)


def list_point_entries(user: User, cursor: str | None) -> paging.Page[PointEntry]:
    """A person's points, the newest movement first; Problem 400 bad_cursor."""
    rows = PointEntry.objects.filter(user=user)
    try:
        return paging.fetch_page(rows, order=("-id",), types=(int,), cursor=cursor, size=PAGE_SIZE)
    except paging.BadCursor:
        raise refusals.BAD_CURSOR.problem() from None


def _calendar_weeks(shown: calendars.MonthView, joined: date) -> list[list[month_grid.DayCell | None]]:
    since = max(joined, shown.today - makeups.MAX_AGE) if shown.makeups_left else None
    return month_grid.build_weeks(
        shown.month, shown.days, today=shown.today, joined=joined, makeups_since=since
    )
