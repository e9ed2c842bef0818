"""Gauges of the reconciliation: what the last run of each part left, by part."""

from django.utils import timezone

from apps.monitoring.models import ReconcileResult


def read_clean_ages() -> dict[str, float]:
    """Seconds since each part was last clean; a part that never was is left out."""
    results = ReconcileResult.objects.filter(clean_at__isnull=False).values_list("part", "clean_at")
    return {part: (timezone.now() - at).total_seconds() for part, at in results if at}


def read_left() -> dict[str, float]:
    """Differences that the last run of each part did not repair."""
    return dict(ReconcileResult.objects.values_list("part", "left"))


def read_fixed() -> dict[str, float]:
    """Differences that the last run of each part repaired."""
    return dict(ReconcileResult.objects.values_list("part", "fixed"))
