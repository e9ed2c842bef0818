"""Check-ins: a day is recorded in SQL with its totals and points; Redis is updated after the commit."""

import logging
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import transaction

from apps.queues import owed
from apps.redis_kit import client, transport
from apps.signins import clock, points
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import CheckInDays

log = logging.getLogger(__name__)


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


def check_in_today(user_id: int) -> CheckInResult:
    """Record today, a day of the site's time zone; a second call on the same day changes nothing."""
    today = clock.today()
    with transaction.atomic():
        totals = Standing.objects.locked(user_id)
        return record_day(totals, today, today=today, pays=points.DAILY_POINTS)


def record_day(totals: Standing, day: date, *, today: date, pays: int = 0) -> CheckInResult:
    """Record a day for the person whose totals this transaction has locked; repeating it changes nothing.

    `pays` is the number of points for the day itself. Rewards for the streak's length are added to it.
    """
    new = SignInMonth.objects.mark_day(totals.pk, day)
    masks = SignInMonth.objects.masks_of(totals.pk)
    checked_days = CheckInDays.from_masks(masks, until=day)
    totals.save_totals(checked_days)
    won = points.pay(totals.pk, pays, reason=PointEntry.Reason.SIGN_IN, day=day) if new and pays else 0
    if streak := checked_days.streak_at(day):
        won += points.pay_rewards(totals.pk, streak)
    totals.refresh_points()
    month = day.replace(day=1)
    at_once = partial(_update_redis, totals, month, masks[month])
    owed.run_after_commit(rewrite_in_redis, totals.pk, month.isoformat(), at_once=at_once)
    current, balance = totals.current(today), totals.points
    return CheckInResult(day, new, current, totals.best, totals.total, balance, won)


def rewrite_in_redis(user_id: int, month: str) -> None:
    """Write a person's month, an ISO date, and streak to Redis as SQL has them."""
    totals, first_day = Standing.objects.get(pk=user_id), date.fromisoformat(month)
    _update_redis(totals, first_day, SignInMonth.objects.masks_of(user_id).get(first_day, 0))


def _update_redis(totals: Standing, month: date, mask: int) -> None:
    """Write the month and the streak to Redis, in one round trip.

    After an outage the next check-in, read or reconcile does it.
    """
    try:
        commands = [*bitmaps.fill_commands({(totals.pk, month): mask}), *leaderboard.add_commands([totals])]
        transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: the check-in of person %s is in SQL only", totals.pk)
