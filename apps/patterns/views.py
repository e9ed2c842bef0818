"""The pattern pages: the list, one page a pattern, its demonstrations and measurements."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.patterns import comparisons, limits, page_content, registry, runs
from apps.patterns.pattern import Pattern
from apps.redis_kit import client
from apps.web import htmx
from apps.web.problems import Problem


@never_cache
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every pattern, by room."""
    return render(request, "patterns/index.html", {"rooms": registry.rooms()})


@never_cache
@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of one pattern."""
    content = page_content.build(request, _require_pattern(slug))
    return render(request, "patterns/page.html", {"page": content})


@never_cache
@require_POST
def run(request: HttpRequest, slug: str) -> HttpResponse:
    """Demonstrate one way; htmx gets the result, else the whole page with it."""
    pattern = _require_pattern(slug)
    limits.charge_run(request)
    way: runs.WayName = "naive" if request.POST.get("way") == "naive" else "ours"
    try:
        context: dict[str, object] = {"way": way, "run": runs.run(pattern, way)}
    except client.UNAVAILABLE:
        context = {"way": way, "is_away": True}
    return _answer(request, pattern, "patterns/_run.html", context)


@never_cache
@require_POST
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Measure both ways for half a second, and keep the figures for the page."""
    pattern = _require_pattern(slug)
    if not page_content.may_measure(request):
        raise Problem(403, "forbidden", _("Only staff may measure here."))
    limits.charge_measurement(request)
    try:
        figures = comparisons.compare(pattern, comparisons.SMALL_BUDGET_SECONDS)
        comparisons.store(figures)
    except client.UNAVAILABLE:
        return _answer(request, pattern, "patterns/_figures.html", {"is_measuring_away": True})
    return _answer(request, pattern, "patterns/_figures.html", {"figures": figures})


def _require_pattern(slug: str) -> Pattern:
    pattern = registry.find(slug)
    if pattern is None:
        raise Http404
    return pattern


def _answer(request: HttpRequest, pattern: Pattern, part: str, context: dict[str, object]) -> HttpResponse:
    """A part of the page for htmx, or the page with it for a form without JavaScript."""
    if htmx.is_htmx(request):
        return render(request, part, {"pattern": pattern} | context)
    content = page_content.build(request, pattern)
    return render(request, "patterns/page.html", {"page": content} | context)
