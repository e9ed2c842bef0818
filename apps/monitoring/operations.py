"""The admin's Redis page: the declared schema with live numbers, and the rebuilds."""

from dataclasses import dataclass

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.monitoring import caches, facts, memory, rebuilding, tasks
from apps.redis_kit import client, schema


@dataclass(frozen=True)
class Rebuild:
    """One rebuild function, the patterns it restores, and how its newest run stands."""

    name: str
    patterns: list[str]
    progress: rebuilding.Progress


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The schema table; the declarations alone when Redis is away."""
    context = admin.site.each_context(request) | {"title": _("Redis"), "schema": schema.declared()}
    try:
        report = memory.report()
        context |= {"report": report, "facts": facts.read(), "rebuilds": _rebuilds()}
        context |= {"caches": caches.counted(report)}
    except client.UNAVAILABLE:
        context |= {"away": True}
    return render(request, "monitoring/redis.html", context)


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
def progress(request: HttpRequest) -> HttpResponse:
    """The rebuilds alone, for the page's own refresh while one runs."""
    return render(request, "monitoring/_rebuilds.html", {"rebuilds": _rebuilds()})


@permission_required("monitoring.rebuild_redis", raise_exception=True)
@require_POST
def rebuild(request: HttpRequest, name: str) -> HttpResponse:
    """Hand a rebuild to a worker; a second press while it runs changes nothing."""
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


def _rebuilds() -> list[Rebuild]:
    return [
        Rebuild(name, [key.pattern for key in keys], rebuilding.progress(name))
        for name, keys in schema.rebuilders()
    ]
