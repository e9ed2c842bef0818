"""The admin's page about what Redis keeps on disk, and what would be lost."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring.persistence import losses, measurements, server_state
from apps.redis_kit import client

#: Names in INFO, in bytes and as numbers.
SIZES = ("aof_current_size", "aof_base_size", "used_memory")
NUMBERS = (
    "rdb_changes_since_last_save",
    "aof_last_rewrite_time_sec",
    "aof_delayed_fsync",
    "aof_pending_bio_fsync",
)


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
@never_cache
def show_persistence(request: HttpRequest) -> HttpResponse:
    """Live values of the server in use, what each setting would lose here, and what it costs."""
    context = admin.site.each_context(request) | {"title": _("Persistence")}
    try:
        context |= _build_context()
    except client.UNAVAILABLE:
        context |= {"is_away": True}
    return render(request, "admin/monitoring/persistence.html", context)


def _build_context() -> dict[str, Any]:
    """State, losses, warnings and measurements; raises client.UNAVAILABLE."""
    state, report = server_state.read(), measurements.read()
    measured = report.by_mode if report else measurements.NOTHING_MEASURED
    return {
        "state": state,
        "report": report,
        "losses": losses.list_losses(state, measured),
        "warnings": losses.list_warnings(state, measured),
        "sizes": {name: state.number(name) for name in SIZES},
        "numbers": {name: state.number(name) for name in NUMBERS},
        "is_rewriting": state.number("aof_rewrite_in_progress") > 0,
        "is_saving": state.number("rdb_bgsave_in_progress") > 0,
    }
