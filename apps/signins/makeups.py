"""Make-up days: a missed day bought with points, so that a streak holds."""

from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.signins import check_ins, clock, points, refusals
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import days

#: How far back a missed day may be.
MAX_AGE = timedelta(days=30)
#: Made-up days that a calendar month may have.
MAX_PER_MONTH = 3


def make_up(user: User, day: date) -> check_ins.CheckInResult:
    """Sign a missed day for points.MAKE_UP_PRICE; Problem 422 future, too_old, 409 already_signed, none_left,
    no_points: nothing is done then.
    """
    with transaction.atomic():
        standing = Standing.objects.locked(user.pk)
        if reason := refusal_for(user, day):
            raise reason.problem()
        _spend_points(user.pk, day)
        return check_ins.record_day(standing, day, today=clock.today())


def refusal_for(user: User, day: date) -> refusals.Refusal | None:
    """Why a person can't make up that day, whatever points they have."""
    if day >= clock.today():
        return refusals.FUTURE
    if day < join_date(user):
        return refusals.BEFORE_JOINING
    if day < clock.today() - MAX_AGE:
        return refusals.TOO_OLD
    if is_checked_in(user.pk, day):
        return refusals.ALREADY_CHECKED_IN
    return None if count_left(user.pk, day.replace(day=1)) else refusals.NONE_LEFT


def count_left(user_id: int, month: date) -> int:
    """How many more days of that month a person may make up."""
    made = PointEntry.objects.make_ups_of(user_id, month).count()
    return max(0, MAX_PER_MONTH - made)


def join_date(user: User) -> date:
    """The day a person joined, in the site's time zone."""
    return timezone.localdate(user.joined_at, timezone.get_default_timezone())


def is_checked_in(user_id: int, day: date) -> bool:
    """By SQL, which decides."""
    mask = SignInMonth.objects.filter(user_id=user_id).masks().get(day.replace(day=1), 0)
    return bool(mask & days.day_bit(day))


def _spend_points(user_id: int, day: date) -> None:
    try:
        points.spend(user_id, points.MAKE_UP_PRICE, reason=PointEntry.Reason.MAKE_UP, day=day)
    except points.NotEnoughPoints:
        raise refusals.NO_POINTS.problem() from None
