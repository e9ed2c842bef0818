"""The dashboard's widgets: apps that this one must not know register theirs here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.monitoring import facts, health, memory
from apps.redis_kit import client

Context = Callable[[HttpRequest], dict[str, Any]]


@dataclass(frozen=True)
class Panel:
    """A template and what fills it; shown in ascending `order` to people who have `permission`."""

    order: int
    template: str
    context: Context
    permission: str = ""
    needs_redis: bool = True


_panels: dict[str, Panel] = {}


def register(
    order: int, template: str, context: Context, *, permission: str = "", needs_redis: bool = True
) -> None:
    """Add a widget, or replace the one of that template; `needs_redis` when it says nothing without it."""
    _panels[template] = Panel(order, template, context, permission, needs_redis)


def redis_answers(request: HttpRequest) -> bool:
    """Asked once a request: a hanging Redis costs one deadline, not one for each widget."""
    if not hasattr(request, "_redis_answers"):
        setattr(request, "_redis_answers", _ping())  # noqa: B010 - HttpRequest has no such name
    return bool(getattr(request, "_redis_answers"))  # noqa: B009


def rendered(request: HttpRequest) -> list[SafeString]:
    """Every widget the person may see; one that needs a Redis that is away says so instead."""
    shown = sorted(_panels.values(), key=lambda panel: panel.order)
    return [_render(panel, request) for panel in shown if _may_see(request, panel)]


def _may_see(request: HttpRequest, panel: Panel) -> bool:
    return not panel.permission or request.user.has_perm(panel.permission)


def _render(panel: Panel, request: HttpRequest) -> SafeString:
    try:
        if not panel.needs_redis or redis_answers(request):
            return render_to_string(panel.template, panel.context(request), request)
    except client.UNAVAILABLE:
        # It went away between the question and the work.
        pass
    return render_to_string("monitoring/panels/away.html", {"panel": panel}, request)


def _ping() -> bool:
    try:
        return bool(client.get().ping())
    except client.UNAVAILABLE:
        return False


def health_answers(_request: HttpRequest) -> dict[str, Any]:
    answers = health.run()
    return {"answers": answers, "well": all(answer.result.ok for answer in answers)}


def memory_report(_request: HttpRequest) -> dict[str, Any]:
    report = memory.report()
    return {"report": report, "rows": [row for row in report.rows if row.keys][:8]}


def redis_facts(_request: HttpRequest) -> dict[str, Any]:
    return {"facts": facts.read()}
