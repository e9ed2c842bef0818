"""The admin's pages about the running site: operation, activity, the slowest, the log, Redis, persistence."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.adminkit import panels
from apps.monitoring import (
    key_samples,
    measured,
    memory,
    pattern_pages,
    persistence,
    rebuilding,
    redis_facts,
    tasks,
)
from apps.redis_kit import client, schema

#: Of the slowest; a phone draws each as a card.
PAGE_ROWS = 20
_may_see = permission_required("monitoring.view_metrics", raise_exception=True)

#: Names in INFO, in bytes and as numbers.
SIZES = ("aof_current_size", "aof_base_size", "used_memory")
NUMBERS = (
    "rdb_changes_since_last_save",
    "aof_last_rewrite_time_sec",
    "aof_delayed_fsync",
    "aof_pending_bio_fsync",
)


@permission_required("monitoring.view_metrics", raise_exception=True)
@require_safe
@never_cache
def show_operation(request: HttpRequest) -> HttpResponse:
    """The page with its panels; each is for people with its own permission."""
    context = admin.site.each_context(request) | {"title": _("Site operation")}
    return render(request, "admin/monitoring/operation.html", context | {"refresh": panels.REFRESH_SECONDS})


@permission_required("monitoring.view_metrics", raise_exception=True)
@require_safe
@never_cache
def refresh_panels(request: HttpRequest) -> HttpResponse:
    """The HTML of the panels alone."""
    return render(request, "admin/monitoring/_operation_panels.html")


@dataclass(frozen=True)
class RebuildRow:
    """A rebuild function, what people call it, the patterns it restores, the progress of its newest run."""

    name: str
    label: Any
    patterns: list[str]
    progress: rebuilding.Progress


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
def show_redis(request: HttpRequest) -> HttpResponse:
    """The schema table with numbers; without Redis the declarations alone."""
    context = admin.site.each_context(request) | {"title": _("Redis"), "schema": schema.declared()}
    try:
        report = memory.newest_report()
        context |= {"report": report, "facts": redis_facts.read_facts(), "rebuilds": _rebuild_rows()}
        context |= {"caches": memory.read_cache_stats(report), "maps": memory.build_maps(report)}
        context |= {"areas": memory.list_area_rows()}
        # By app, the largest of each first; rows of no declared key come before.
        context |= {"rows": sorted(report.rows, key=lambda row: row.key.app if row.key else "")}
    except client.UNAVAILABLE:
        context |= {"away": True}
    return render(request, "admin/monitoring/redis.html", context)


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
def show_rebuilds(request: HttpRequest) -> HttpResponse:
    """The rebuilds alone, for the page's refresh while one runs."""
    return render(request, "admin/monitoring/_rebuilds.html", {"rebuilds": _rebuild_rows()})


@permission_required("monitoring.rebuild_redis", raise_exception=True)
@require_POST
def start_rebuild(request: HttpRequest, name: str) -> HttpResponse:
    """Queue a rebuild for a worker; pressing again while it runs changes nothing."""
    try:
        claimed = rebuilding.claim(name, by=str(request.user))
    except LookupError:
        raise Http404 from None
    if claimed:
        tasks.rebuild.delay(name)
        messages.success(request, _("The rebuild has begun."))
    else:
        messages.info(request, _("This rebuild is already under way."))
    return redirect("monitoring:redis")


def _rebuild_rows() -> list[RebuildRow]:
    return [
        RebuildRow(
            name,
            rebuild.label,
            [key.pattern for key in keys],
            rebuilding.read_progress(name),
        )
        for name, keys in schema.rebuilders()
        if (rebuild := rebuilding.REBUILDS.get(name))
    ]


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
@never_cache
def show_pattern(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a pattern by its slug; without Redis the declaration alone."""
    declaration = pattern_pages.find_declaration(slug)
    if declaration is None:
        raise Http404
    context = admin.site.each_context(request) | {"title": declaration.pattern, "key": declaration}
    return render(request, "admin/monitoring/key_pattern.html", context | _pattern_context(declaration))


def _pattern_context(declaration: schema.Key) -> dict[str, Any]:
    try:
        report = memory.newest_report()
        row = next(row for row in report.rows if row.key is declaration)
        samples = key_samples.read(declaration, row.sample)
    except client.UNAVAILABLE:
        return {"away": True}
    return {"report": report, "row": row, "samples": samples}


@_may_see
@require_safe
@never_cache
def show_activity(request: HttpRequest) -> HttpResponse:
    """Charts of a period."""
    period = measured.choose_period(request.GET.get("period", ""))
    return _render_measured(request, "activity", _("Activity"), measured.describe_activity(period))


@_may_see
@require_safe
@never_cache
def show_charts(request: HttpRequest) -> HttpResponse:
    """The charts alone, for the page's refresh."""
    period = measured.choose_period(request.GET.get("period", ""))
    return render(request, "admin/monitoring/_charts.html", measured.describe_activity(period))


@_may_see
@require_safe
@never_cache
def show_slowest(request: HttpRequest) -> HttpResponse:
    """The slowest by mean or by the 99th percentile."""
    context = measured.describe_slowest(request.GET.get("by", ""))
    pages = Paginator(context.get("rows", ()), PAGE_ROWS)
    page = pages.get_page(request.GET.get("page"))
    return _render_measured(
        request, "slowest", _("Slowest"), context | {"page": page, "rows": page.object_list}
    )


@_may_see
@require_safe
@never_cache
def show_log(request: HttpRequest) -> HttpResponse:
    """Log lines of a severity and logger, and the most common messages."""
    context = measured.describe_log(request.GET.get("severity", ""), request.GET.get("logger", ""))
    return _render_measured(request, "log", _("Log"), context | {"is_demo": settings.DEMO})


def _render_measured(request: HttpRequest, name: str, title: str, page: dict[str, Any]) -> HttpResponse:
    context = admin.site.each_context(request) | {"title": title} | page
    return render(request, f"admin/monitoring/{name}.html", context)


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
@never_cache
def show_persistence(request: HttpRequest) -> HttpResponse:
    """Live values of the server in use, what each setting would lose here, and what it costs."""
    context = admin.site.each_context(request) | {"title": _("Persistence")}
    try:
        context |= _build_persistence()
    except client.UNAVAILABLE:
        context |= {"is_away": True}
    return render(request, "admin/monitoring/persistence.html", context)


def _build_persistence() -> dict[str, Any]:
    """State, losses, warnings and measurements; raises client.UNAVAILABLE."""
    state, report = persistence.read_state(), persistence.read_measurements()
    by_mode = report.by_mode if report else persistence.NOTHING_MEASURED
    return {
        "state": state,
        "report": report,
        "losses": persistence.list_losses(state, by_mode),
        "warnings": persistence.list_warnings(state, by_mode),
        "sizes": {name: state.number(name) for name in SIZES},
        "numbers": {name: state.number(name) for name in NUMBERS},
        "is_rewriting": state.number("aof_rewrite_in_progress") > 0,
        "is_saving": state.number("rdb_bgsave_in_progress") > 0,
    }
