"""A check-in by the ORM alone: the same rows in one transaction, without limits and copies in Redis."""

from datetime import date

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.signins import points
from apps.signins.check_ins import CheckInResult
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import days
from apps.signins.streaks.days import CheckInDays

REASON = PointEntry.Reason.SIGN_IN


@transaction.atomic
def check_in(user_id: int, today: date) -> CheckInResult:
    """Record today and its points; rewards for a streak's length are left out."""
    Standing.objects.get_or_create(user_id=user_id)
    totals, month = Standing.objects.select_for_update().get(pk=user_id), today.replace(day=1)
    SignInMonth.objects.get_or_create(user_id=user_id, month=month)
    row = SignInMonth.objects.filter(user_id=user_id, month=month)
    row.update(mask=F("mask").bitor(days.day_bit(today)))
    totals.set_totals(CheckInDays.from_masks(SignInMonth.objects.filter(user=user_id).masks(), until=today))
    totals.save(update_fields=["streak", "best", "total", "last_day"])
    won = _pay(user_id, today)
    totals.refresh_from_db(fields=["points"])
    return CheckInResult(today, bool(won), totals.streak, totals.best, totals.total, totals.points, won)


def _pay(user_id: int, today: date) -> int:
    about = {"user_id": user_id, "amount": points.DAILY_POINTS, "reason": REASON, "day": today}
    key = f"{REASON}:{user_id}:{today}"
    if not PointEntry.objects.get_or_create(key=key, defaults=about | {"created_at": timezone.now()})[1]:
        return 0
    Standing.objects.filter(pk=user_id).update(points=F("points") + points.DAILY_POINTS)
    return points.DAILY_POINTS
