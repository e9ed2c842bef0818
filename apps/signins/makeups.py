"""Make-up days: a missed day bought with points, so that a streak holds."""

from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.signins import clock, days, points, record, refusals
from apps.signins.models import PointEntry, SignInMonth, Standing

#: How far back a missed day may be.
WINDOW = timedelta(days=30)
#: Made-up days that a calendar month may have.
A_MONTH = 3


def make_up(user: User, day: date) -> record.Signed:
    """Sign a missed day for points.MAKE_UP_PRICE; Problem 422 future, too_old, 409 already_signed, none_left,
    no_points: nothing is done then.
    """
    with transaction.atomic():
        standing = Standing.objects.locked(user.pk)
        if reason := why_not(user, day):
            raise reason.problem()
        _spend(user.pk, day)
        return record.sign(standing, day, today=clock.today())


def why_not(user: User, day: date) -> refusals.Refusal | None:
    """Why a person can't make up that day, whatever points they have."""
    if day >= clock.today():
        return refusals.FUTURE
    if day < joined(user):
        return refusals.NOT_HERE_YET
    if day < clock.today() - WINDOW:
        return refusals.TOO_OLD
    if is_signed(user.pk, day):
        return refusals.ALREADY_SIGNED
    return None if left(user.pk, day.replace(day=1)) else refusals.NONE_LEFT


def left(user_id: int, month: date) -> int:
    """How many more days of that month a person may make up."""
    made = PointEntry.objects.make_ups_of(user_id, month).count()
    return max(0, A_MONTH - made)


def joined(user: User) -> date:
    """The day a person joined, in the site's time zone."""
    return timezone.localdate(user.joined_at, timezone.get_default_timezone())


def is_signed(user_id: int, day: date) -> bool:
    """By SQL, which decides."""
    mask = SignInMonth.objects.filter(user_id=user_id).masks().get(day.replace(day=1), 0)
    return bool(mask & days.bit(day))


def _spend(user_id: int, day: date) -> None:
    try:
        points.spend(user_id, points.MAKE_UP_PRICE, reason=PointEntry.Reason.MAKE_UP, day=day)
    except points.NotEnough:
        raise refusals.NO_POINTS.problem() from None
