"""A filter of admin lists by days, the last one included."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from unfold.contrib.filters.admin import RangeDateFilter
from unfold.utils import parse_date_str


class DayRangeFilter(RangeDateFilter):
    """Rows whose moment lies between two whole days, in the site's time zone.

    A message says why days in the wrong order find nothing, and that a text that is no day narrows nothing.
    """

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        first, last = self._read_day("from", request), self._read_day("to", request)
        if first and last and first > last:
            messages.warning(request, _("The first day is after the last one: nothing lies between them."))
        if since := _find_midnight(first):
            rows = rows.filter(**{f"{self.field_path}__gte": since})
        if until := _find_midnight(last, days_later=1):
            rows = rows.filter(**{f"{self.field_path}__lt": until})
        return rows

    def _read_day(self, end: str, request: HttpRequest) -> date | None:
        text = str(self.used_parameters.get(f"{self.field_path}_{end}", ""))
        day = parse_date_str(text)
        if text and day is None:
            about = {"text": text[:40]}
            messages.warning(request, _("“%(text)s” is no day: the list isn't narrowed by it.") % about)
        return day


def _find_midnight(day: date | None, *, days_later: int = 0) -> datetime | None:
    try:
        later = day and day + timedelta(days=days_later)
        if later is None:
            return None
        # As databases want it: the first and the last day of all may have none.
        return timezone.make_aware(datetime.combine(later, time.min)).astimezone(UTC)
    except OverflowError:
        return None
