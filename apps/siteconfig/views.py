"""The admin's pages about the running site."""

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.redis_kit import client
from apps.siteconfig.forms import MaintenanceForm
from apps.siteconfig.maintenance import audit, passes, switch
from apps.siteconfig.maintenance.announcements import Announcement
from apps.siteconfig.maintenance.usual_texts import USUAL_TEXTS
from apps.siteconfig.models import MaintenanceChange

SWITCH_PERMISSION = "siteconfig.switch_maintenance"
#: Changes that the history shows.
MAX_HISTORY_ROWS = 20


@permission_required(SWITCH_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def show_maintenance(request: HttpRequest) -> HttpResponse:
    """Whether the site is closed, the form that changes it, and who changed it before."""
    try:
        closed, is_away = switch.read(), False
    except client.UNAVAILABLE:
        closed, is_away = None, True
    return _render_maintenance(request, _build_form(closed, None), closed, is_away=is_away)


@permission_required(SWITCH_PERMISSION, raise_exception=True)
@require_POST
def close_site(request: HttpRequest) -> HttpResponse:
    """Close the site, or change what is announced; this browser gets a pass."""
    try:
        closed = switch.read()
        form = _build_form(closed, request.POST)
        if not form.is_valid():
            return _render_maintenance(request, form, closed)
        made = switch.close_site(changed_by=str(request.user), **form.announcement)
    except client.UNAVAILABLE:
        return _redirect_without_redis(request)
    audit.record(request, _("closed the site for maintenance"))
    messages.success(request, _("The site is closed for maintenance. Your browser has a pass."))
    return _give_pass(redirect("siteconfig:maintenance"), made, may_open=True)


@permission_required(SWITCH_PERMISSION, raise_exception=True)
@require_POST
def open_site(request: HttpRequest) -> HttpResponse:
    """Serve everybody again."""
    try:
        switch.open_site(changed_by=str(request.user))
    except client.UNAVAILABLE:
        return _redirect_without_redis(request)
    audit.record(request, _("opened the site"))
    messages.success(request, _("The site is open."))
    return redirect("siteconfig:maintenance")


@require_safe
@never_cache
def enter_site(request: HttpRequest) -> HttpResponse:
    """Give this member of staff a pass, and go to the start page."""
    try:
        closed = switch.read()
    except client.UNAVAILABLE:
        closed = None
    response = redirect("home")
    may_open = request.user.has_perm(SWITCH_PERMISSION)
    return _give_pass(response, closed, may_open=may_open) if closed else response


def _build_form(closed: Announcement | None, sent: QueryDict | None) -> MaintenanceForm:
    if closed is None:
        return MaintenanceForm(sent, initial=USUAL_TEXTS.current().model_dump())
    texts = {"text_en": closed.text_en, "text_zh": closed.text_zh}
    return MaintenanceForm(sent, until=closed.until, initial=texts)


def _render_maintenance(
    request: HttpRequest, form: MaintenanceForm, closed: Announcement | None, *, is_away: bool = False
) -> HttpResponse:
    context = admin.site.each_context(request) | {
        "title": _("Maintenance"),
        "form": form,
        "closed": closed,
        "is_away": is_away,
        "history": MaintenanceChange.objects.all()[:MAX_HISTORY_ROWS],
    }
    return render(request, "admin/siteconfig/maintenance.html", context)


def _redirect_without_redis(request: HttpRequest) -> HttpResponse:
    messages.error(request, _("Redis does not answer, so nothing was changed. Try again in a moment."))
    return redirect("siteconfig:maintenance")


def _give_pass(response: HttpResponse, closed: Announcement, *, may_open: bool) -> HttpResponse:
    response.set_cookie(
        passes.PASS_COOKIE,
        passes.make_pass(closed, may_open=may_open),
        max_age=passes.PASS_SECONDS,
        secure=settings.SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
