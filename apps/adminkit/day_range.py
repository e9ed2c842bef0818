"""A filter of admin lists by days, the last one included."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import RangeDateFilter
from unfold.utils import parse_date_str


class DayRangeFilter(RangeDateFilter):
    """Rows whose moment lies between two whole days, in the site's time zone."""

    def queryset(self, _request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        since, until = self._find_midnight("from"), self._find_midnight("to", days_later=1)
        if since:
            rows = rows.filter(**{f"{self.field_path}__gte": since})
        if until:
            rows = rows.filter(**{f"{self.field_path}__lt": until})
        return rows

    def _find_midnight(self, end: str, *, days_later: int = 0) -> datetime | None:
        day = parse_date_str(str(self.used_parameters.get(f"{self.field_path}_{end}", "")))
        try:
            later = day and day + timedelta(days=days_later)
            if later is None:
                return None
            # As databases want it: the first and the last day of all may have none.
            return timezone.make_aware(datetime.combine(later, time.min)).astimezone(UTC)
        except OverflowError:
            return None
