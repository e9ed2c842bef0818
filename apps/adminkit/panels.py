"""The dashboard's widgets: apps that this one must not know register theirs here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.redis_kit import client

ContextBuilder = Callable[[HttpRequest], dict[str, Any]]


@dataclass(frozen=True)
class Panel:
    """A template and what fills it; shown in ascending `order` to people who have `permission`."""

    order: int
    template: str
    context: ContextBuilder
    permission: str = ""
    needs_redis: bool = True


_panels: dict[str, Panel] = {}


def register(
    order: int, template: str, context: ContextBuilder, *, permission: str = "", needs_redis: bool = True
) -> None:
    """Add a widget, or replace the one of that template; `needs_redis` when it says nothing without it."""
    _panels[template] = Panel(order, template, context, permission, needs_redis)


def redis_is_up(request: HttpRequest) -> bool:
    """Asked once a request: a hanging Redis costs one deadline, not one for each widget."""
    if not hasattr(request, "_redis_answers"):
        setattr(request, "_redis_answers", _ping_redis())  # noqa: B010 - HttpRequest has no such name
    return bool(getattr(request, "_redis_answers"))  # noqa: B009


def render_all(request: HttpRequest) -> list[SafeString]:
    """Every widget the person may see; one that needs a Redis that is away says so instead."""
    shown = sorted(_panels.values(), key=lambda panel: panel.order)
    return [_render_panel(panel, request) for panel in shown if _may_see(request, panel)]


def _may_see(request: HttpRequest, panel: Panel) -> bool:
    return not panel.permission or request.user.has_perm(panel.permission)


def _render_panel(panel: Panel, request: HttpRequest) -> SafeString:
    try:
        if not panel.needs_redis or redis_is_up(request):
            return render_to_string(panel.template, panel.context(request), request)
    except client.UNAVAILABLE:
        # It went away between the question and the work.
        pass
    return render_to_string("admin/_panel_unavailable.html", {"panel": panel}, request)


def _ping_redis() -> bool:
    try:
        return bool(client.get().ping())
    except client.UNAVAILABLE:
        return False
