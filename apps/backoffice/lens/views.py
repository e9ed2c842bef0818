"""The lens's page with its switch, the requests for its panel, and the switch in the admin."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import redirects
from apps.backoffice.lens import access, panel, store
from apps.front.lens import LENS_COOKIE, LENS_HEADER
from apps.redis_kit import client
from apps.web import htmx
from apps.web.problems import Problem


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
        return context | {"requests": panel.load_requests(session)}
    except client.UNAVAILABLE:
        return context | {"is_away": True}
