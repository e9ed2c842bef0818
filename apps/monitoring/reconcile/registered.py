"""Registers the part of key types, and the gauges of all parts."""

from collections.abc import Iterator

from django.utils import timezone

from apps.metrics import gauges
from apps.monitoring.models import ReconcileResult
from apps.monitoring.reconcile import key_types, parts
from apps.monitoring.reconcile.parts import Finding
from apps.siteconfig.components import copies

#: Before all others: they read what it left.
FIRST = 0


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


def check_settings(fix: bool) -> Iterator[Finding]:
    """The copy of changed settings in Redis, compared twice. That app is below this one."""
    suspects = {name for name, _actual, _expected in copies.list_differences()}
    found = [one for one in copies.list_differences() if one[0] in suspects] if suspects else []
    if found and fix:
        copies.rebuild()
    for name, actual, expected in found:
        yield Finding(f"component {name}", "settings", actual or "nothing", expected or "nothing")


def register() -> None:
    """Register the part and the gauges; called when the app is ready."""
    parts.register("keys.types", key_types.check, about="types and expiries of all Redis keys", order=FIRST)
    parts.register("siteconfig.settings", check_settings, about="settings changed while the site runs")
    for name, about, read in (
        ("clean_age_seconds", "Since a part of the reconciliation was last clean.", read_clean_ages),
        ("differences", "Differences that the last run of a part left.", read_left),
        ("repaired", "Differences that the last run of a part repaired.", read_fixed),
    ):
        gauges.register(f"savor_reconcile_{name}", about, read, label="part")
