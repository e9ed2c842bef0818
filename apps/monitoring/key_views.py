"""The admin's page of one key pattern: its declaration, its share of memory, lifetimes and samples."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring import key_samples, memory, pattern_pages
from apps.redis_kit import client, schema


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
@never_cache
def show_pattern(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a pattern by its slug; without Redis the declaration alone."""
    declaration = pattern_pages.find_declaration(slug)
    if declaration is None:
        raise Http404
    context = admin.site.each_context(request) | {"title": declaration.pattern, "key": declaration}
    return render(request, "admin/monitoring/key_pattern.html", context | _live_context(declaration))


def _live_context(declaration: schema.Key) -> dict[str, Any]:
    try:
        report = memory.newest_report()
        row = next(row for row in report.rows if row.key is declaration)
        samples = key_samples.read(declaration, row.sample)
    except client.UNAVAILABLE:
        return {"away": True}
    return {"report": report, "row": row, "samples": samples}
