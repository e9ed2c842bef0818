"""The lens's page and its switch here and in the admin, and its panel: the steps of recorded requests."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import redirects
from apps.backoffice.lens import access, store
from apps.backoffice.lens.access import LensSession
from apps.front.lens import LENS_COOKIE, LENS_HEADER
from apps.monitoring import pattern_pages
from apps.redis_kit import client, schema
from apps.web import htmx
from apps.web.problems import Problem

#: Width of a request's timeline, in its own units.
TIMELINE_UNITS = 1_000


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def lens_page(request: HttpRequest) -> HttpResponse:
    """Show the switch and the newest requests; POST turns the lens on ("on" = 1) or off and leads back."""
    # Whoever has it on may turn it off, also without a log-in to the site.
    if access.read_session(request) is None and not access.may_switch_on(request):
        if request.user.is_anonymous:
            raise Problem(401, "not_logged_in")
        raise PermissionDenied
    if request.method == "POST":
        return _switch(request)
    return render(request, "backoffice/lens/page.html", _context(request))


@require_safe
@never_cache
def lens_requests(request: HttpRequest) -> HttpResponse:
    """The newest requests of this browser, for the panel; 404 with the lens off."""
    if access.read_session(request) is None:
        raise Problem(404, "not_found")
    return render(request, "backoffice/lens/_requests.html", _context(request))


@require_http_methods(["GET", "HEAD", "POST"])
def admin_lens_page(request: HttpRequest) -> HttpResponse:
    """The switch in the admin, for staff with the permission who are not logged in to the site."""
    if not access.may_switch_on(request):
        raise PermissionDenied
    if request.method == "POST":
        return _switch(request)
    context = admin.site.each_context(request) | {"title": _("Lens")} | _context(request)
    return render(request, "admin/backoffice/lens.html", context)


def _switch(request: HttpRequest) -> HttpResponse:
    session = access.read_session(request)
    is_on = htmx.wants_on(request.POST.get("on"), is_on=lambda: session is not None)
    response = redirect(redirects.requested_next(request))
    if session:
        store.forget(session)
    if is_on:
        access.set_cookie(response, access.new_session(request))
    else:
        response.delete_cookie(LENS_COOKIE, samesite="Lax")
    return response


def _context(request: HttpRequest) -> dict[str, Any]:
    session = access.read_session(request)
    context: dict[str, Any] = {
        "session": session,
        "header": LENS_HEADER,
        "max_requests": store.MAX_KEPT_REQUESTS,
    }
    if session is None or not access.may_read(session):
        return context | {"session": None}
    try:
        return context | {"requests": load_requests(session)}
    except client.UNAVAILABLE:
        return context | {"is_away": True}


def load_requests(session: LensSession) -> list[dict[str, Any]]:
    """The session's recorded requests, newest first, ready for the template; raises client.UNAVAILABLE."""
    requests = store.read_newest(session)
    declarations = {declaration.pattern: declaration for declaration in schema.declared()}
    for request in requests:
        for step in request["steps"]:
            _place_on_timeline(step, request["total_us"])
            for command in step.get("commands", ()):
                for key in command["keys"]:
                    key["declared"] = _describe(declarations.get(key["pattern"]))
    return requests


def _place_on_timeline(step: dict[str, Any], total_us: int) -> None:
    """Set `x` and `width` in TIMELINE_UNITS; what is too short to be seen is a hair wide."""
    whole = max(total_us, 1)
    step["x"] = min(TIMELINE_UNITS - 2, round(step["at_us"] * TIMELINE_UNITS / whole))
    step["width"] = max(2, min(TIMELINE_UNITS - step["x"], round(step["us"] * TIMELINE_UNITS / whole)))


def _describe(declaration: schema.Key | None) -> dict[str, Any] | None:
    if declaration is None:
        return None
    return {"key": declaration, "url": pattern_pages.declaration_url(declaration)}
