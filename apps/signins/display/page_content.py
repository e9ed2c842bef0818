"""Content of the calendar page, the make-up dialog and the list of points."""

from dataclasses import dataclass
from datetime import date

from apps.accounts.models import User
from apps.signins import calendars, makeups, points, refusals
from apps.signins.display import month_grid
from apps.signins.models import PointEntry, Standing
from apps.signins.points import DAILY_POINTS, MAKE_UP_PRICE, Reward
from apps.signins.streaks import days
from apps.web import paging

#: Point entries beside the calendar, and on a page of the list.
MAX_RECENT_ENTRIES = 5
#: Missed days that the list of points offers to make up.
MAX_OFFERED_DAYS = 3


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
    weeks: list[list[month_grid.DayCell | None]]
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
    return PointsOffer(balance, makeups.open_days(user))


def build_calendar(user: User, month: date | None) -> CalendarPage:
    """The user's own calendar page; None stands for the current month."""
    view = calendars.build_month(user, month)
    joined = makeups.join_date(user)
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
    return MakeUpOffer(day, points.MAKE_UP_PRICE, balance, makeups.refusal_for(user, day) or too_expensive)


def list_point_entries(
    user: User, cursor: str | None, size: int = paging.PAGE_SIZE
) -> paging.Page[PointEntry]:
    """A page of a person's point entries, the newest first; BadCursor."""
    rows = PointEntry.objects.filter(user=user)
    return paging.fetch_page(rows, order=("-id",), types=(int,), cursor=cursor, size=size)


def _calendar_weeks(view: calendars.MonthView, joined: date) -> list[list[month_grid.DayCell | None]]:
    since = max(joined, view.today - makeups.MAX_AGE) if view.makeups_left else None
    return month_grid.build_weeks(view.month, view.days, today=view.today, joined=joined, makeups_since=since)
