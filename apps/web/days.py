"""The beginning of a day."""

from datetime import datetime

from django.utils import timezone


def start_of_day(at: datetime | None = None) -> datetime:
    """The midnight with which the day of `at` began, in its time zone; of today in the site's."""
    return (at or timezone.localtime()).replace(hour=0, minute=0, second=0, microsecond=0)
