"""Check-ins and make-ups: a day is recorded in SQL with totals and points, then in Redis after the commit.

With a make-up a person pays points to fill in a missed day, so that the streak continues.
"""

import logging
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.queues import owed
from apps.redis_kit import client, transport
from apps.signins import clock, points, refusals
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, days, leaderboard
from apps.signins.streaks.days import CheckInDays

log = logging.getLogger(__name__)

#: How far back a missed day may be.
MAKE_UP_AGE = timedelta(days=30)
#: Made-up days that a calendar month may have.
MAKE_UPS_PER_MONTH = 3


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


def make_up(user: User, day: date) -> CheckInResult:
    """Record a missed day for points.MAKE_UP_PRICE points.

    Raises Problem 422 future or too_old, 409 already_signed, none_left or no_points, and changes nothing
    then.
    """
    with transaction.atomic():
        totals = Standing.objects.locked(user.pk)
        if reason := find_make_up_refusal(user, day):
            raise reason.problem()
        _spend_points(user.pk, day)
        return record_day(totals, day, today=clock.today())


def find_make_up_refusal(user: User, day: date) -> refusals.Refusal | None:
    """The reason why a person can't make up that day, their points aside; None if they can."""
    if day >= clock.today():
        return refusals.FUTURE
    if day < join_date(user):
        return refusals.BEFORE_JOINING
    if day < clock.today() - MAKE_UP_AGE:
        return refusals.TOO_OLD
    if is_checked_in(user.pk, day):
        return refusals.ALREADY_CHECKED_IN
    return None if count_make_ups_left(user.pk, day.replace(day=1)) else refusals.NONE_LEFT


def list_open_days(user: User) -> list[date]:
    """The missed days that a person may make up now, the newest first, their points aside: three queries."""
    today = clock.today()
    first = max(today - MAKE_UP_AGE, join_date(user))
    masks = SignInMonth.objects.filter(user_id=user.pk).masks()
    months = {today.replace(day=1), first.replace(day=1)}
    left = {month: count_make_ups_left(user.pk, month) for month in months}
    missed = (today - age * days.ONE_DAY for age in range(1, (today - first).days + 1))
    return [
        day
        for day in missed
        if left[day.replace(day=1)] and not masks.get(day.replace(day=1), 0) & days.day_bit(day)
    ]


def count_make_ups_left(user_id: int, month: date) -> int:
    """How many more days of that month a person may make up."""
    made = PointEntry.objects.make_ups_of(user_id, month).count()
    return max(0, MAKE_UPS_PER_MONTH - made)


def join_date(user: User) -> date:
    """The day on which a person joined, in the site's time zone."""
    return timezone.localdate(user.joined_at, timezone.get_default_timezone())


def is_checked_in(user_id: int, day: date) -> bool:
    """Whether SQL, which decides, has a check-in or a make-up on that day."""
    mask = SignInMonth.objects.filter(user_id=user_id).masks().get(day.replace(day=1), 0)
    return bool(mask & days.day_bit(day))


def _spend_points(user_id: int, day: date) -> None:
    try:
        points.spend(user_id, points.MAKE_UP_PRICE, reason=PointEntry.Reason.MAKE_UP, day=day)
    except points.NotEnoughPoints:
        raise refusals.NO_POINTS.problem() from None
