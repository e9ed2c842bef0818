"""The admin's pages about the running site: maintenance, and components' settings with their history."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.adminkit import history
from apps.redis_kit import addresses, client
from apps.siteconfig.components import changes
from apps.siteconfig.components.definitions import COMPONENTS, About, Component
from apps.siteconfig.forms import MaintenanceForm, SettingsForm, describe_value
from apps.siteconfig.maintenance import passes, switch
from apps.siteconfig.maintenance.switch import Announcement
from apps.siteconfig.maintenance.usual_texts import USUAL_TEXTS
from apps.siteconfig.models import MaintenanceChange, SettingsChange
from apps.web.problems.ids import parse_row_id

SWITCH_PERMISSION = "siteconfig.switch_maintenance"
#: Changes that the history shows.
MAX_HISTORY_ROWS = 20

CHANGE_PERMISSION = "siteconfig.change_settings"


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
    switch.record_change(request, _("closed the site for maintenance"))
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
    switch.record_change(request, _("opened the site"))
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


#: Changes that the history of a component shows.


@dataclass(frozen=True)
class SettingRow:
    """A setting as the page shows it: its value in force and its default, with their units."""

    about: About
    value: str
    default: str
    is_changed: bool


@dataclass(frozen=True)
class HistoryRow:
    """A change, its settings in words, and whether one can go back to it."""

    change: SettingsChange
    settings: list[tuple[Any, str]]
    is_newest: bool


@permission_required(CHANGE_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def show_settings(request: HttpRequest) -> HttpResponse:
    """Every component with its settings in force."""
    components = [(component, _list_settings(component)) for component in COMPONENTS.entries()]
    context = admin.site.each_context(request) | {"title": _("Settings"), "components": components}
    return render(request, "admin/siteconfig/settings.html", context)


@permission_required(CHANGE_PERMISSION, raise_exception=True)
@never_cache
def change_component(request: HttpRequest, name: str) -> HttpResponse:
    """GET shows the form of a component and its history; POST puts its settings in force."""
    component = _find_component(name)
    if request.method != "POST":
        return _render_component(request, component, _build_settings_form(component, None))
    form = _build_settings_form(component, request.POST)
    if not form.is_valid() or not _apply(request, component, form):
        return _render_component(request, component, form)
    return redirect("siteconfig:component", name=name)


@permission_required(CHANGE_PERMISSION, raise_exception=True)
@require_POST
def restore_component(request: HttpRequest, name: str) -> HttpResponse:
    """Put the settings of an earlier change in force again."""
    component = _find_component(name)
    number, based_on = parse_row_id(request.POST.get("number")), parse_row_id(request.POST.get("based_on"))
    try:
        row = changes.restore(component, number, changed_by=str(request.user), based_on=based_on)
        history.record_changed(request, row, _("put an earlier state in force again"))
        messages.success(request, _("The earlier settings are in force again."))
    except ValidationError as refusal:
        messages.error(request, " ".join(refusal.messages))
    return redirect("siteconfig:component", name=name)


def _find_component(name: str) -> Component[Any]:
    component = COMPONENTS.get(name)
    if component is None:
        raise Http404
    return component


def _build_settings_form(component: Component[Any], sent: QueryDict | None) -> SettingsForm:
    row = SettingsChange.objects.filter(component=component.name).first()
    initial = (row.overrides if row else {}) | {"based_on": row.number if row else 0}
    return SettingsForm(component, sent, initial=initial)


def _apply(request: HttpRequest, component: Component[Any], form: SettingsForm) -> bool:
    based_on = form.cleaned_data["based_on"]
    try:
        row = changes.change(component, form.overrides, changed_by=str(request.user), based_on=based_on)
        history.record_changed(request, row, _("changed settings"))
    except ValidationError as refusal:
        form.add_refusal(refusal)
        return False
    messages.success(request, _("The settings are saved and reach every process within a second."))
    return True


def _render_component(request: HttpRequest, component: Component[Any], form: SettingsForm) -> HttpResponse:
    rows = _list_history(component)
    context = admin.site.each_context(request) | {
        "title": component.title,
        "component": component,
        "form": form,
        "history": rows,
        "newest_number": rows[0].change.number if rows else 0,
    }
    return render(request, "admin/siteconfig/component.html", context)


def _list_settings(component: Component[Any]) -> list[SettingRow]:
    current, defaults = component.current(), component.defaults()
    return [
        SettingRow(
            setting.about,
            describe_value(setting, getattr(current, setting.name)),
            describe_value(setting, getattr(defaults, setting.name)),
            getattr(current, setting.name) != getattr(defaults, setting.name),
        )
        for setting in component.settings
    ]


def _list_history(component: Component[Any]) -> list[HistoryRow]:
    rows = SettingsChange.objects.filter(component=component.name)[:MAX_HISTORY_ROWS]
    return [
        HistoryRow(row, list(_describe_overrides(component, row.overrides)), not index)
        for index, row in enumerate(rows)
    ]


def _describe_overrides(component: Component[Any], overrides: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Each setting's label and value; the bare name of a setting that this release no longer has."""
    settings = {setting.name: setting for setting in component.settings}
    for name, value in overrides.items():
        if setting := settings.get(name):
            yield setting.about.label, describe_value(setting, value)
        else:
            yield name, addresses.hide_passwords(str(value))
