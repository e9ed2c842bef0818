"""People who have signed in: days written as sign-ins would have left them."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

from apps.accounts.models import User
from apps.signins.models import SignInMonth, Standing
from apps.signins.streaks import days
from apps.signins.streaks.days import ONE_DAY, CheckInDays
from tests.factories import PointEntryFactory, SignInMonthFactory

#: A Saturday noon in Shanghai, where the tests' people live.
NOON = datetime(2026, 11, 21, 4, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def noon(day: date) -> datetime:
    """The middle of a day in the site's time zone."""
    return datetime.combine(day, time(12), tzinfo=ZoneInfo(settings.TIME_ZONE))


def set_join_date(user: User, day: date) -> User:
    """The person, here since that day."""
    user.joined_at = noon(day)
    user.save(update_fields=["joined_at"])
    return user


def checked_in_on(user: User, signed_days: Iterable[date], *, points: int = 0) -> Standing:
    """SQL alone, as if Redis had been away on all these days; the person has joined by then."""
    chosen = sorted(signed_days)
    set_join_date(user, min([*chosen, TODAY - timedelta(days=90)]))
    masks = days.masks_by_month(chosen)
    SignInMonth.objects.bulk_create(
        SignInMonthFactory.build(user=user, month=month, mask=mask) for month, mask in masks.items()
    )
    standing = Standing(user=user, points=points)
    standing.set_totals(CheckInDays.from_masks(masks, until=TODAY))
    standing.save()
    if points:
        PointEntryFactory.create(user=user, amount=points, day=TODAY)
    return standing


def days_in_a_row(last: date, length: int) -> list[date]:
    """So many days in a row, up to `last`."""
    return [last - number * ONE_DAY for number in range(length)]
