"""Signing in, once a day of the site's time zone, and the calendar that shows it."""

from dataclasses import dataclass
from datetime import date

from django.db import transaction

from apps.accounts.models import User
from apps.signins import bitmaps, clock, days, makeups, points, record
from apps.signins.days import Days
from apps.signins.models import Standing

#: Months that one round trip reads.
MONTHS_A_TRIP = 12


@dataclass(frozen=True)
class Glance:
    """Whether today is signed, and the streak that today ends or can still continue, in days."""

    signed_today: bool
    streak: int


@dataclass(frozen=True)
class Shown:
    """A month of a person's calendar, and where they stand today."""

    month: date
    days: list[date]
    today: date
    signed_today: bool
    streak: int
    best: int
    total: int
    points: int
    makeups_left: int


def sign_in(user: User) -> record.Signed:
    """Sign today; `new` is False, and nothing changes, when it was signed."""
    today = clock.today()
    with transaction.atomic():
        standing = Standing.objects.locked(user.pk)
        return record.sign(standing, today, today=today, pays=points.DAILY)


def glance(user_id: int) -> Glance:
    """From the bitmaps: one round trip for 12 months of streak."""
    today = clock.today()
    masks = recent(user_id, today)
    return Glance(_is_signed(masks, today), _streak(masks, today))


def shown(user: User, month: date | None) -> Shown:
    """A month of one's own calendar, the present one for None."""
    today = clock.today()
    month = month or today.replace(day=1)
    standing = Standing.objects.filter(pk=user.pk).first() or Standing(user=user)
    masks = _in_step(standing, today)
    if month not in masks:
        # From SQL, and not kept: whoever asks for all months of all years must not fill Redis with them.
        masks |= bitmaps.stored(user.pk, [month])
    return Shown(
        month=month,
        days=days.of_mask(month, masks[month]),
        today=today,
        signed_today=_is_signed(masks, today),
        streak=_streak(masks, today),
        best=standing.best,
        total=standing.total,
        points=standing.points,
        makeups_left=makeups.left(user.pk, month),
    )


def recent(user_id: int, today: date) -> dict[date, int]:
    """Masks of the last 12 months, and of 12 more for as long as the streak goes back further."""
    masks: dict[date, int] = {}
    newest = today.replace(day=1)
    while True:
        window = days.months(days.later(newest, 1 - MONTHS_A_TRIP), newest)
        masks |= bitmaps.read(user_id, window)
        run = Days.of(masks, until=today).current(today)
        if run is None or run.first > window[0]:
            return masks
        newest = days.later(newest, -MONTHS_A_TRIP)


def _in_step(standing: Standing, today: date) -> dict[date, int]:
    """`recent`, unless SQL knows another streak: then Redis missed a day, and is told now."""
    masks = recent(standing.pk, today)
    if _streak(masks, today) == standing.current(today):
        return masks
    return dict.fromkeys(masks, 0) | bitmaps.refill(standing.pk)


def _streak(masks: dict[date, int], today: date) -> int:
    run = Days.of(masks, until=today).current(today)
    return run.length if run else 0


def _is_signed(masks: dict[date, int], day: date) -> bool:
    return bool(masks.get(day.replace(day=1), 0) & days.bit(day))
