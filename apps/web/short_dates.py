"""Dates as short as they stay plain: the year is left out where it is this one."""

from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format

from apps.web import days


def short_moment(at: datetime) -> str:
    """ "3 Oct, 14:05" on the site's clock; with its year where that isn't this one."""
    local = _on_the_sites_clock(at)
    return date_format(local, "SHORT_DATETIME_FORMAT" if _is_this_year(local) else "DATETIME_FORMAT")


def short_day(day: date) -> str:
    """ "3 Oct" of a date, or of a moment on the site's clock; with its year where that isn't this one."""
    local = _on_the_sites_clock(day) if isinstance(day, datetime) else day
    return date_format(local, "MONTH_DAY_FORMAT" if _is_this_year(local) else "DATE_FORMAT")


def last_moment(until: datetime) -> str:
    """ "31 Dec 2027" of the midnight that ends it, "31 Dec 2027, 18:00" of a moment within it."""
    day = days.last_day(until)
    return date_format(day or timezone.localtime(until), "DATE_FORMAT" if day else "DATETIME_FORMAT")


def last_day(until: datetime) -> str:
    """The last day on which something is valid, of a moment within it or of the midnight that ends it."""
    return date_format(days.last_day(until) or timezone.localtime(until), "DATE_FORMAT")


def _on_the_sites_clock(at: datetime) -> datetime:
    return timezone.localtime(at) if timezone.is_aware(at) else at


def _is_this_year(day: date) -> bool:
    return day.year == timezone.localdate().year
