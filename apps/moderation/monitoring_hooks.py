"""Open reports at /metrics."""

from typing import Any

from django.db.models import Count, Min, Q
from django.utils import timezone

from apps.moderation.models import Case


def count_open() -> dict[str, Any]:
    """How many cases are open and objected to, and since when the oldest waits."""
    rows = Case.objects.filter(state=Case.State.OPEN)
    return rows.aggregate(
        open=Count("pk"), objections=Count("pk", filter=Q(has_objection=True)), oldest=Min("opened_at")
    )


def read_open() -> dict[str, float]:
    """The gauge of open cases."""
    return {"": count_open()["open"]}


def read_oldest() -> dict[str, float]:
    """The gauge of the oldest open case's age, in seconds; 0 when none is open."""
    oldest = count_open()["oldest"]
    return {"": (timezone.now() - oldest).total_seconds() if oldest else 0}
