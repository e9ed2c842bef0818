"""The admin's Redis pages: the key schema with live numbers, one key pattern, and the rebuilds."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.monitoring import (
    cache_stats,
    key_samples,
    memory,
    memory_areas,
    memory_map,
    pattern_pages,
    rebuilding,
    redis_facts,
    tasks,
)
from apps.redis_kit import client, schema


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
        context |= {"caches": cache_stats.read_all(report), "maps": memory_map.build_maps(report)}
        context |= {"areas": memory_areas.list_rows()}
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
