"""The JSON API of what operators set; the project's API mounts both routers with its own authentication."""

from datetime import datetime
from typing import Annotated, Any

from annotated_types import Ge
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import AwareDatetime, Field
from pydantic import ValidationError as BadValue

from apps.adminkit import history
from apps.redis_kit.addresses import hide_passwords
from apps.siteconfig.components import changes
from apps.siteconfig.components.definitions import COMPONENTS, Component, Setting
from apps.siteconfig.maintenance import switch
from apps.siteconfig.maintenance.switch import Announcement
from apps.siteconfig.models import SettingsChange
from apps.web import paging
from apps.web.problems import Body, PlainDigits, Problem, documented

maintenance_router, settings_router = Router(), Router()
_STAFF = {401: ["not_logged_in"], 403: ["forbidden", "second_factor_required"]}
Text = Annotated[str, Field(max_length=300)]


class MaintenanceIn(Body):
    until: AwareDatetime | None = Field(None, description="when the site should be open again; null: unknown")
    text_en: Text = Field("", description="for visitors; without texts the page says something usual")
    text_zh: Text = Field("", description="the same in Chinese")


class MaintenanceOut(Schema):
    closed: bool = Field(description="whether visitors get 503")
    since: datetime | None = Field(description="UTC; null while the site is open")
    until: datetime | None = Field(description="UTC; null while nobody knows")
    text_en: str = Field(description="what visitors read in English")
    text_zh: str = Field(description="what visitors read in Chinese")
    changed_by: str = Field(description="the nickname of who closed it")


class SettingOut(Schema):
    name: str
    label: str = Field(description="what it is called in the admin")
    unit: str = Field(description="of its number")
    effect: str = Field(description="what a change does")
    value: str | int | float | bool | None = Field(description="in force; passwords in addresses are hidden")
    default: str | int | float | bool | None = Field(description="without a change")
    minimum: int | None = Field(description="the least; null without a bound")
    maximum: int | None = Field(description="the most; null without a bound")


class ComponentOut(Schema):
    name: str
    title: str
    number: int = Field(description="of the newest change, for `based_on`; 0 before the first")
    settings: list[SettingOut] = Field(description="all of the component")


class ComponentsOut(Schema):
    items: list[ComponentOut]
    next: paging.Next = None


class ComponentChange(Body):
    based_on: Annotated[int, Ge(0), PlainDigits] = Field(description="`number` as it was read")
    values: dict[str, str | int | None] = Field(
        max_length=50, description="by name; null is the default; what is left out stays"
    )


@maintenance_router.get(
    "/maintenance",
    operation_id="getMaintenance",
    response=MaintenanceOut,
    summary="Whether the site is closed",
    openapi_extra=documented.problems(_STAFF),
)
def get_maintenance(request: HttpRequest) -> dict[str, Any]:
    """Answers also while it is, as all of /api/operations does."""
    return _build_maintenance(switch.read())


@maintenance_router.put(
    "/maintenance",
    operation_id="closeSite",
    response=MaintenanceOut,
    summary="Close the site for maintenance",
    openapi_extra=documented.problems(_STAFF | {422: ["invalid"]}),
)
def close_site(request: HttpRequest, body: MaintenanceIn) -> dict[str, Any]:
    """Everybody gets 503 within a second; again changes what is announced."""
    if body.until and body.until <= timezone.now():
        fields = [{"field": "until", "message": str(_("This time is over."))}]
        raise Problem(422, "invalid", _("Some fields are not right."), errors=fields)
    made = switch.close_site(changed_by=str(request.user), **body.model_dump())
    switch.record_change(request, _("closed the site for maintenance"))
    return _build_maintenance(made)


@maintenance_router.delete(
    "/maintenance",
    operation_id="openSite",
    response=MaintenanceOut,
    summary="Open the site again",
    openapi_extra=documented.problems(_STAFF),
)
def open_site(request: HttpRequest) -> dict[str, Any]:
    """Repeating it changes nothing."""
    if switch.open_site(changed_by=str(request.user)):
        switch.record_change(request, _("opened the site"))
    return _build_maintenance(None)


@settings_router.get(
    "/settings",
    operation_id="listSettings",
    response=ComponentsOut,
    summary="The settings of the running site",
    openapi_extra=documented.problems(_STAFF | {422: ["invalid", "bad_cursor"]}),
)
def list_settings(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """All components, each with its settings in force and their defaults."""
    found = COMPONENTS.entries()
    page = paging.cut_list(found, key=lambda one: one.name, kind="settings", cursor=cursor, size=size)
    return {"items": list(map(_build_component, page.items)), "next": page.next}


@settings_router.patch(
    "/settings/{component}",
    operation_id="changeSettings",
    response=ComponentOut,
    summary="Change settings of the running site",
    openapi_extra=documented.problems(
        _STAFF | {404: ["not_found"], 409: ["changed_meanwhile"], 422: ["invalid"]}
    ),
)
def change_settings(request: HttpRequest, component: str, body: ComponentChange) -> dict[str, Any]:
    """In force in every process within a second. All values are checked before any is taken."""
    found = COMPONENTS.get(component)
    if found is None:
        raise Http404
    row = _change(found, body, changed_by=str(request.user))
    history.record_changed(request, row, _("changed settings"))
    return _build_component(found)


def _change(component: Component[Any], body: ComponentChange, *, changed_by: str) -> SettingsChange:
    newest = SettingsChange.objects.filter(component=component.name).first()
    kept = dict(newest.overrides) if newest else {}
    overrides = kept | _clean(component, body.values)
    overrides = {name: value for name, value in overrides.items() if value is not None}
    try:
        return changes.change(component, overrides, changed_by=changed_by, based_on=body.based_on)
    except ValidationError as refusal:
        if hasattr(refusal, "error_dict"):
            raise
        raise Problem(409, "changed_meanwhile", " ".join(refusal.messages)) from None


def _clean(component: Component[Any], values: dict[str, str | int | None]) -> dict[str, Any]:
    """The values in their types; ValidationError by name for unknown names and for what can't be."""
    settings = {setting.name: setting for setting in component.settings}
    refused = {name: [str(_("There is no such setting."))] for name in values.keys() - settings.keys()}
    cleaned: dict[str, Any] = {}
    for name in values.keys() & settings.keys():
        try:
            cleaned[name] = None if values[name] is None else settings[name].clean(values[name])
        except BadValue as error:
            refused[name] = [found["msg"] for found in error.errors()]
    if refused:
        raise ValidationError(refused)
    return cleaned


def _build_maintenance(closed: Announcement | None) -> dict[str, Any]:
    empty = {"since": None, "until": None, "text_en": "", "text_zh": "", "changed_by": ""}
    return {"closed": closed is not None} | (closed.model_dump() if closed else empty)


def _build_component(component: Component[Any]) -> dict[str, Any]:
    current, defaults = component.current(), component.defaults()
    return {
        "name": component.name,
        "title": str(component.title),
        "number": changes.newest_number(component),
        "settings": [_build_setting(setting, current, defaults) for setting in component.settings],
    }


def _hide(value: Any) -> Any:
    return hide_passwords(value) if isinstance(value, str) else value


def _build_setting(setting: Setting, current: Any, defaults: Any) -> dict[str, Any]:
    return {
        "name": setting.name,
        "label": str(setting.about.label),
        "unit": str(setting.about.unit),
        "effect": str(setting.about.effect),
        "value": _hide(getattr(current, setting.name)),
        "default": _hide(getattr(defaults, setting.name)),
        "minimum": setting.bound("ge"),
        "maximum": setting.bound("le"),
    }
