"""What the pages of sign-ins show."""

from dataclasses import dataclass
from datetime import date

from apps.accounts.models import User
from apps.redis_kit import paging
from apps.signins import calendar, days, grid, makeups, points, refusals
from apps.signins.models import PointEntry, Standing
from apps.signins.points import Reward

#: Movements of points beside the calendar, and on a page of their own.
FEW, PAGE = 5, 20


@dataclass(frozen=True)
class Progress:
    """How far a streak is on its way to a reward."""

    reward: Reward
    done: int

    @property
    def reached(self) -> bool:
        return self.done >= self.reward.days


@dataclass(frozen=True)
class CalendarPage:
    """A month, its neighbours if there is something to see, the rewards ahead and the last movements."""

    shown: calendar.Shown
    weeks: list[list[grid.Cell | None]]
    earlier: date | None
    later: date | None
    rewards: list[Progress]
    entries: list[PointEntry]
    daily: int = points.DAILY
    price: int = points.MAKE_UP_PRICE

    @property
    def can_make_up(self) -> bool:
        return any(cell.can_make_up for week in self.weeks for cell in week if cell)


@dataclass(frozen=True)
class Offer:
    """A day that could be made up, for how many points, of how many; or why not."""

    day: date
    price: int
    points: int
    refusal: refusals.Refusal | None


def of_month(user: User, month: date | None) -> CalendarPage:
    """One's own calendar page."""
    shown = calendar.shown(user, month)
    joined = makeups.joined(user)
    first, this = min(joined, *shown.days, shown.today).replace(day=1), shown.today.replace(day=1)
    return CalendarPage(
        shown=shown,
        weeks=_weeks(shown, joined),
        # From a month far off one comes back to those that have something to show.
        earlier=min(days.later(shown.month, -1), this) if shown.month > first else None,
        later=max(days.later(shown.month, 1), first) if shown.month < this else None,
        rewards=[Progress(one, min(shown.streak, one.days)) for one in points.REWARDS],
        entries=list(PointEntry.objects.filter(user=user).order_by("-pk")[:FEW]),
    )


def offer(user: User, day: date) -> Offer:
    """What the page that asks "make it up?" says."""
    held = Standing.objects.filter(pk=user.pk).values_list("points", flat=True).first() or 0
    too_dear = refusals.NO_POINTS if held < points.MAKE_UP_PRICE else None
    return Offer(day, points.MAKE_UP_PRICE, held, makeups.why_not(user, day) or too_dear)


def movements(user: User, cursor: str | None) -> paging.Page[PointEntry]:
    """A person's points, the newest movement first; Problem 400 bad_cursor."""
    rows = PointEntry.objects.filter(user=user)
    try:
        return paging.slice_after(rows, order=("-id",), types=(int,), cursor=cursor, size=PAGE)
    except paging.BadCursor:
        raise refusals.BAD_CURSOR.problem() from None


def _weeks(shown: calendar.Shown, joined: date) -> list[list[grid.Cell | None]]:
    since = max(joined, shown.today - makeups.WINDOW) if shown.makeups_left else None
    return grid.weeks(shown.month, shown.days, today=shown.today, joined=joined, makeups_since=since)
