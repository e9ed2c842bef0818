"""Signing in, once a day of the site's time zone, and the calendar that shows it."""

from dataclasses import dataclass
from datetime import date

from django.db import transaction

from apps.accounts.models import User
from apps.signins import check_ins, clock, makeups, points
from apps.signins.models import Standing
from apps.signins.streaks import bitmaps, days
from apps.signins.streaks.days import CheckInDays

#: Months that one round trip reads.
MONTHS_PER_ROUND_TRIP = 12


@dataclass(frozen=True)
class TodaySummary:
    """Whether today is signed, and the streak that today ends or can still continue, in days."""

    checked_in_today: bool
    streak: int


@dataclass(frozen=True)
class MonthView:
    """A month of a person's calendar, and where they stand today."""

    month: date
    days: list[date]
    today: date
    checked_in_today: bool
    streak: int
    best: int
    total: int
    points: int
    makeups_left: int


def check_in_today(user: User) -> check_ins.CheckInResult:
    """Sign today; `new` is False, and nothing changes, when it was signed."""
    today = clock.today()
    with transaction.atomic():
        standing = Standing.objects.locked(user.pk)
        return check_ins.record_day(standing, today, today=today, pays=points.DAILY_POINTS)


def summarize_today(user_id: int) -> TodaySummary:
    """From the bitmaps: one round trip for 12 months of streak."""
    today = clock.today()
    masks = recent_masks(user_id, today)
    return TodaySummary(_is_checked_in(masks, today), _current_streak(masks, today))


def build_month(user: User, month: date | None) -> MonthView:
    """A month of one's own calendar, the present one for None."""
    today = clock.today()
    month = month or today.replace(day=1)
    standing = Standing.objects.filter(pk=user.pk).first() or Standing(user=user)
    masks = _masks_agreeing_with_sql(standing, today)
    if month not in masks:
        # From SQL, and not kept: whoever asks for all months of all years must not fill Redis with them.
        masks |= bitmaps.masks_from_sql(user.pk, [month])
    return MonthView(
        month=month,
        days=days.days_in_mask(month, masks[month]),
        today=today,
        checked_in_today=_is_checked_in(masks, today),
        streak=_current_streak(masks, today),
        best=standing.best,
        total=standing.total,
        points=standing.points,
        makeups_left=makeups.count_left(user.pk, month),
    )


def recent_masks(user_id: int, today: date) -> dict[date, int]:
    """Masks of the last 12 months, and of 12 more for as long as the streak goes back further."""
    masks: dict[date, int] = {}
    newest = today.replace(day=1)
    while True:
        window = days.months_between(days.add_months(newest, 1 - MONTHS_PER_ROUND_TRIP), newest)
        masks |= bitmaps.read_masks(user_id, window)
        run = CheckInDays.from_masks(masks, until=today).current(today)
        if run is None or run.first > window[0]:
            return masks
        newest = days.add_months(newest, -MONTHS_PER_ROUND_TRIP)


def _masks_agreeing_with_sql(standing: Standing, today: date) -> dict[date, int]:
    """`recent`, unless SQL knows another streak: then Redis missed a day, and is told now."""
    masks = recent_masks(standing.pk, today)
    if _current_streak(masks, today) == standing.current(today):
        return masks
    return dict.fromkeys(masks, 0) | bitmaps.refill_person(standing.pk)


def _current_streak(masks: dict[date, int], today: date) -> int:
    run = CheckInDays.from_masks(masks, until=today).current(today)
    return run.length if run else 0


def _is_checked_in(masks: dict[date, int], day: date) -> bool:
    return bool(masks.get(day.replace(day=1), 0) & days.day_bit(day))
