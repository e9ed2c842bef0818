"""The admin dashboard's panels: tags of apps that `admin/_panels.html` names, top to bottom."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.template import Library
from django.template.context import RequestContext
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.redis_kit import client
from apps.web import page_parts

#: Seconds between two refreshes of an open dashboard.
REFRESH_SECONDS = 10
#: Makes a panel's context.
Build = Callable[[HttpRequest], dict[str, Any]]


def dashboard_panel(
    library: Library,
    template_name: str,
    *,
    permission: str = "",
    needs_redis: bool = True,
    is_for: Callable[[Any], bool] = bool,
) -> Callable[[Build], Build]:
    """Register a tag that shows a panel of the dashboard: `{% order_queue %}`.

    Only people who have `permission`, and pass `is_for`, see it: managers have no own shops.
    A panel that needs Redis says so while it is away; one that fails is logged and left out.
    """

    def register(build: Build) -> Build:
        def panel(context: RequestContext) -> SafeString:
            request = context.request
            if not _may_see(request.user, permission) or not is_for(request.user):
                return SafeString("")
            return _render(request, template_name, build, needs_redis=needs_redis)

        library.simple_tag(panel, takes_context=True, name=build.__name__)
        page_parts.leave_out_failures(library, build.__name__)
        return build

    return register


def dashboard_context(_request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's dashboard callback: the index page's context."""
    return context | {"refresh": REFRESH_SECONDS}


def redis_is_up(request: HttpRequest) -> bool:
    """Whether Redis answers, asked once a request: a hanging Redis costs one deadline, not one a panel."""
    if not hasattr(request, "_redis_answers"):
        setattr(request, "_redis_answers", _ping_redis())  # noqa: B010 - HttpRequest has no such name
    return bool(getattr(request, "_redis_answers"))  # noqa: B009


def _may_see(user: Any, permission: str) -> bool:
    return not permission or user.has_perm(permission)


def _render(request: HttpRequest, template_name: str, build: Build, *, needs_redis: bool) -> SafeString:
    try:
        if not needs_redis or redis_is_up(request):
            return render_to_string(template_name, build(request), request)
    except client.UNAVAILABLE:
        # Redis went away after the ping.
        pass
    return render_to_string("admin/_panel_unavailable.html", request=request)


def _ping_redis() -> bool:
    try:
        return bool(client.get().ping())
    except client.UNAVAILABLE:
        return False
