"""The pattern pages: the list, one page a pattern, its demonstrations and measurements."""

from dataclasses import dataclass
from typing import Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.patterns import command_log, comparisons, key_pictures, limits, page_content, registry, scratch
from apps.patterns.command_log import CommandLog
from apps.patterns.key_pictures import KeyPicture
from apps.patterns.pattern import Outcome, Pattern
from apps.redis_kit import client
from apps.web import htmx
from apps.web.problems import Problem

WayName = Literal["naive", "ours"]


@never_cache
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The lessons to begin with, and every pattern, by room."""
    context = {"rooms": registry.rooms(), "lessons": registry.lessons()}
    return render(request, "patterns/index.html", context)


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
    way: WayName = "naive" if request.POST.get("way") == "naive" else "ours"
    try:
        context: dict[str, object] = {"way": way, "run": run_way(pattern, way)}
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


@dataclass(frozen=True)
class Run:
    """A demonstration that ended: its outcome, the commands that it took, and the keys as it left them."""

    way: WayName
    outcome: Outcome
    log: CommandLog
    keys: list[KeyPicture]


def run_way(pattern: Pattern, way: WayName) -> Run:
    """Demonstrate one way; raises client.UNAVAILABLE when Redis is away."""
    chosen_way = pattern.naive if way == "naive" else pattern.ours
    with scratch.opened() as keys:
        with command_log.recorded(short_names(pattern, keys)) as log:
            outcome = chosen_way.run(keys)
        is_bits = any(live.is_bits for live in pattern.keys)
        return Run(way, outcome, log, key_pictures.draw_scratch(keys, is_bits=is_bits))


def short_names(pattern: Pattern, keys: scratch.Scratch) -> dict[str, str]:
    """The short names in a command log: of a script's digest and text, and of the prefix of a run."""
    digests = {script.sha: f"{script.name}.lua" for script in pattern.scripts}
    texts = {script.text: f"{script.name}.lua" for script in pattern.scripts}
    return digests | texts | {keys.prefix: "…", keys.name(""): "…"}
