"""The admin dashboard's panels: each app registers its own in PANELS when it starts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.redis_kit import client
from apps.web.registry import Registry

#: Seconds between two refreshes of an open dashboard.
REFRESH_SECONDS = 10


@dataclass(frozen=True)
class Panel:
    """A template and the function that builds its context; shown to people who have `permission`.

    Of these only to whom `is_for` takes, as one's own shops are no panel for managers.
    """

    template: str
    context: Callable[[HttpRequest], dict[str, Any]]
    permission: str = ""
    #: Whether the panel has nothing to show while Redis is away.
    needs_redis: bool = True
    is_for: Callable[[Any], bool] = bool


PANELS: Registry[Panel] = Registry("dashboard panels")


def register(panel: Panel, *, order: int) -> None:
    """Show a panel on the dashboard, lowest order first; it replaces the panel of the same template."""
    PANELS.register(panel, key=panel.template, order=order)


def dashboard_context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's dashboard callback: the index page's context with every panel in it."""
    return context | {"panels": render_all(request), "refresh": REFRESH_SECONDS}


def render_all(request: HttpRequest) -> list[SafeString]:
    """The HTML of every panel the person may see; one that needs an absent Redis says so instead."""
    return [_render_panel(panel, request) for panel in PANELS.entries() if _may_see(request, panel)]


def redis_is_up(request: HttpRequest) -> bool:
    """Whether Redis answers, asked once a request: a hanging Redis costs one deadline, not one a panel."""
    if not hasattr(request, "_redis_answers"):
        setattr(request, "_redis_answers", _ping_redis())  # noqa: B010 - HttpRequest has no such name
    return bool(getattr(request, "_redis_answers"))  # noqa: B009


def _may_see(request: HttpRequest, panel: Panel) -> bool:
    may_see = not panel.permission or request.user.has_perm(panel.permission)
    return may_see and panel.is_for(request.user)


def _render_panel(panel: Panel, request: HttpRequest) -> SafeString:
    try:
        if not panel.needs_redis or redis_is_up(request):
            return render_to_string(panel.template, panel.context(request), request)
    except client.UNAVAILABLE:
        # Redis went away after the ping.
        pass
    return render_to_string("admin/_panel_unavailable.html", {"panel": panel}, request)


def _ping_redis() -> bool:
    try:
        return bool(client.get().ping())
    except client.UNAVAILABLE:
        return False
