"""Make-up days: a person pays points to fill in a missed day, so that the streak continues."""

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
    """Record a missed day for points.MAKE_UP_PRICE points.

    Raises Problem 422 future or too_old, 409 already_signed, none_left or no_points, and changes nothing
    then.
    """
    with transaction.atomic():
        totals = Standing.objects.locked(user.pk)
        if reason := refusal_for(user, day):
            raise reason.problem()
        _spend_points(user.pk, day)
        return check_ins.record_day(totals, day, today=clock.today())


def refusal_for(user: User, day: date) -> refusals.Refusal | None:
    """The reason why a person can't make up that day, their points aside; None if they can."""
    if day >= clock.today():
        return refusals.FUTURE
    if day < join_date(user):
        return refusals.BEFORE_JOINING
    if day < clock.today() - MAX_AGE:
        return refusals.TOO_OLD
    if is_checked_in(user.pk, day):
        return refusals.ALREADY_CHECKED_IN
    return None if count_left(user.pk, day.replace(day=1)) else refusals.NONE_LEFT


def open_days(user: User) -> list[date]:
    """The missed days that a person may make up now, the newest first, their points aside: three queries."""
    today = clock.today()
    first = max(today - MAX_AGE, join_date(user))
    masks = SignInMonth.objects.filter(user_id=user.pk).masks()
    months = {today.replace(day=1), first.replace(day=1)}
    left = {month: count_left(user.pk, month) for month in months}
    missed = (today - age * days.ONE_DAY for age in range(1, (today - first).days + 1))
    return [
        day
        for day in missed
        if left[day.replace(day=1)] and not masks.get(day.replace(day=1), 0) & days.day_bit(day)
    ]


def count_left(user_id: int, month: date) -> int:
    """How many more days of that month a person may make up."""
    made = PointEntry.objects.make_ups_of(user_id, month).count()
    return max(0, MAX_PER_MONTH - made)


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
