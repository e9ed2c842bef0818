"""Days in the site's time zone, whatever the reader's is."""

from datetime import date, timedelta

from django.utils import timezone

ONE_DAY = timedelta(days=1)


def today() -> date:
    return timezone.localdate(timezone=timezone.get_default_timezone())


def between(first: date, last: date) -> list[date]:
    """Every day from the first to the last, both included."""
    return [first + number * ONE_DAY for number in range((last - first).days + 1)]


def ending_on(last: date, count: int) -> list[date]:
    """The `count` days that end with `last`."""
    return between(last - (count - 1) * ONE_DAY, last)
