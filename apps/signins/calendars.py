"""A person's check-in calendar, read from Redis bitmaps and, where they differ, from SQL."""

from dataclasses import dataclass
from datetime import date

from apps.accounts.models import User
from apps.signins import check_ins, clock
from apps.signins.models import Standing
from apps.signins.streaks import bitmaps, days
from apps.signins.streaks.days import CheckInDays

#: Months that one round trip reads.
MONTHS_PER_ROUND_TRIP = 12


@dataclass(frozen=True)
class TodaySummary:
    """Whether the person checked in today, and their current streak in days."""

    checked_in_today: bool
    streak: int


@dataclass(frozen=True)
class MonthView:
    """One month of a person's calendar, with their streak, totals and points of today."""

    month: date
    days: list[date]
    today: date
    checked_in_today: bool
    streak: int
    best: int
    total: int
    points: int
    makeups_left: int


def summarize_today(user_id: int) -> TodaySummary:
    """The person's state of today, from the bitmaps: one round trip for each 12 months of streak."""
    today = clock.today()
    masks = recent_masks(user_id, today)
    return TodaySummary(_is_checked_in(masks, today), _current_streak(masks, today))


def build_month(user: User, month: date | None) -> MonthView:
    """A month of the user's own calendar; None means the current month."""
    today = clock.today()
    month = month or today.replace(day=1)
    totals = Standing.objects.filter(pk=user.pk).first() or Standing(user=user)
    masks = _masks_agreeing_with_sql(totals, today)
    # Read from SQL and not cached: a crawl through all months of all years must not fill Redis. Nor does it
    # join the masks: a streak is looked for in each month between them.
    shown = masks if month in masks else bitmaps.masks_from_sql(user.pk, [month])
    return MonthView(
        month=month,
        days=days.days_in_mask(month, shown[month]),
        today=today,
        checked_in_today=_is_checked_in(masks, today),
        streak=_current_streak(masks, today),
        best=totals.best,
        total=totals.total,
        points=totals.points,
        makeups_left=check_ins.count_make_ups_left(user.pk, month),
    )


def recent_masks(user_id: int, today: date) -> dict[date, int]:
    """Masks by first day of the month: the last 12 months, and 12 more while the streak reaches back
    further.
    """
    masks: dict[date, int] = {}
    newest = today.replace(day=1)
    while True:
        window = days.months_between(days.add_months(newest, 1 - MONTHS_PER_ROUND_TRIP), newest)
        masks |= bitmaps.read_masks(user_id, window)
        streak = CheckInDays.from_masks(masks, until=today).current(today)
        if streak is None or streak.first > window[0]:
            return masks
        newest = days.add_months(newest, -MONTHS_PER_ROUND_TRIP)


def _masks_agreeing_with_sql(totals: Standing, today: date) -> dict[date, int]:
    """The recent masks. If SQL has another streak, Redis missed a day: the bitmaps are refilled first."""
    masks = recent_masks(totals.pk, today)
    if _current_streak(masks, today) == totals.current(today):
        return masks
    return dict.fromkeys(masks, 0) | bitmaps.refill_person(totals.pk)


def _current_streak(masks: dict[date, int], today: date) -> int:
    streak = CheckInDays.from_masks(masks, until=today).current(today)
    return streak.length if streak else 0


def _is_checked_in(masks: dict[date, int], day: date) -> bool:
    return bool(masks.get(day.replace(day=1), 0) & days.day_bit(day))
