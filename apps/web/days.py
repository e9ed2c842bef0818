"""The beginning and the end of a day on the site's clock."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone

#: How people write the end of a day where they have to write a time.
_LAST_TIMES = (time(23, 59), time(23, 59, 59))


def start_of_day(at: datetime | None = None) -> datetime:
    """The midnight with which the day of `at` began, in its time zone; of today in the site's."""
    return (at or timezone.localtime()).replace(hour=0, minute=0, second=0, microsecond=0)


def end_of_day(day: date) -> datetime:
    """The midnight that ends a day in the site's time zone; OverflowError for the calendar's last days."""
    return timezone.make_aware(datetime.combine(day + timedelta(days=1), time()))


def to_end(at: datetime) -> datetime:
    """A moment until which something lasts; the last minute of a day means the midnight that ends it."""
    local = timezone.localtime(at)
    return end_of_day(local.date()) if local.time() in _LAST_TIMES else at


def last_day(until: datetime) -> date | None:
    """The day whose end is meant, None for a moment within one."""
    local = timezone.localtime(until)
    return None if local.time() != time() else local.date() - timedelta(days=1)
