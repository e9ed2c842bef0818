"""Check-ins: a day is recorded in SQL with its totals and points; Redis is updated after the commit."""

import logging
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import transaction

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import clock, points
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import CheckInDays

log = logging.getLogger(__name__)
TOTAL_FIELDS = ("streak", "best", "total", "last_day")


@dataclass(frozen=True)
class CheckInResult:
    """A recorded day, the points it won, and the person's totals after it.

    `new` is False for a repetition.
    """

    day: date
    new: bool
    streak: int
    best: int
    total: int
    points: int
    won: int


def check_in_today(user: User) -> CheckInResult:
    """Record today, a day of the site's time zone; a second call on the same day changes nothing."""
    today = clock.today()
    with transaction.atomic():
        totals = Standing.objects.locked(user.pk)
        return record_day(totals, today, today=today, pays=points.DAILY_POINTS)


def record_day(totals: Standing, day: date, *, today: date, pays: int = 0) -> CheckInResult:
    """Record a day for the person whose totals this transaction has locked; repeating it changes nothing.

    `pays` is the number of points for the day itself. Rewards for the streak's length are added to it.
    """
    new = SignInMonth.objects.mark_day(totals.pk, day)
    masks = SignInMonth.objects.filter(user_id=totals.pk).masks()
    checked_days = CheckInDays.from_masks(masks, until=day)
    totals.set_totals(checked_days)
    totals.save(update_fields=TOTAL_FIELDS)
    won = points.pay(totals.pk, pays, reason=PointEntry.Reason.SIGN_IN, day=day) if new and pays else 0
    if streak := checked_days.streak_at(day):
        won += points.pay_rewards(totals.pk, streak)
    totals.refresh_from_db(fields=["points"])
    month = day.replace(day=1)
    transaction.on_commit(partial(_update_redis, totals, month, masks[month]))
    current, balance = totals.current(today), totals.points
    return CheckInResult(day, new, current, totals.best, totals.total, balance, won)


def _update_redis(totals: Standing, month: date, mask: int) -> None:
    """Write the month and the streak to Redis.

    After an outage the next check-in, read or reconcile does it.
    """
    try:
        bitmaps.fill_masks({(totals.pk, month): mask})
        leaderboard.add_streaks([totals])
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: the check-in of person %s is in SQL only", totals.pk)
