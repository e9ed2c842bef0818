"""Settings of components that operators change while the site runs, declared by the apps that read them.

    class SaleSettings(Settings):
        pay_within_seconds: Annotated[int, Ge(60), Le(86_400), About(_("Time to pay"), unit=SECONDS)]

    SALE = Component("sale", SaleSettings, title=_("Sales"), defaults=lambda: {...})
    SALE.current().pay_within_seconds

A read costs no trip: values come from the copy that the process's poller refreshes once a second. Only
changed values are stored, so that a new default in code reaches every setting that was not changed.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from apps.siteconfig import site_state
from apps.siteconfig.components.copies import copy
from apps.web.registry import Registry

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

    Text = str | StrPromise

#: The unit of a duration, which the admin shows and takes in hours, minutes or seconds.
SECONDS = _("seconds")
#: What an operator entered, by the name of the setting; a setting that is missing has its default.
Overrides = Mapping[str, Any]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class About:
    """What a setting is called, the unit of its number, and what a change does."""

    label: "Text"
    unit: "Text" = ""
    effect: "Text" = ""

    @property
    def is_duration(self) -> bool:
        return self.unit is SECONDS


class Settings(BaseModel):
    """The base of a component's settings: one member each, annotated with its bounds and an About."""

    model_config = ConfigDict(frozen=True)


AnySettings = TypeVar("AnySettings", bound=Settings)


class Setting:
    """One setting of a component: its name, its About, and what checks a value."""

    def __init__(self, name: str, field: FieldInfo) -> None:
        self.name, self.field = name, field
        self.about = next(found for found in field.metadata if isinstance(found, About))

    def bound(self, kind: str) -> Any:
        """The number of a bound, such as "ge" or "max_length"; None when the setting has no such bound."""
        return next((getattr(found, kind) for found in self.field.metadata if hasattr(found, kind)), None)

    def clean(self, value: object) -> Any:
        """The value in the setting's type; raises pydantic's ValidationError."""
        return self._adapter.validate_python(value)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.field.rebuild_annotation())


def _accept(_overrides: Overrides) -> dict[str, str]:
    return {}


class Component(Generic[AnySettings]):
    """The settings of one part of the site. `defaults` are the values until operators change them.

    `check` may refuse values for what lies outside them: setting -> sentence.
    """

    def __init__(
        self,
        name: str,
        model: type[AnySettings],
        *,
        title: "Text",
        defaults: Callable[[], Overrides],
        check: Callable[[Overrides], dict[str, str]] = _accept,
    ) -> None:
        self.name, self.title, self.check = name, title, check
        self.settings = [Setting(name, field) for name, field in model.model_fields.items()]
        self._model, self._defaults = model, defaults
        self._built: tuple[Overrides, AnySettings] | None = None

    def current(self) -> AnySettings:
        """The settings in force, at most a second old; no trip, and safe in the event loop."""
        site_state.poller.ensure_read()
        overrides, built = copy.overrides_of(self.name), self._built
        if built is not None and built[0] is overrides:
            return built[1]
        current = self.with_overrides(overrides) if overrides else self.defaults()
        # Without the thread this is a test or a short command, and the defaults may change.
        self._built = (overrides, current) if site_state.poller.is_running else None
        return current

    def defaults(self) -> AnySettings:
        """The settings as code and environment have them."""
        return self._model.model_construct(**self._defaults())

    def with_overrides(self, overrides: Overrides) -> AnySettings:
        """The defaults with these values; one that the code no longer takes is logged and left out."""
        values: dict[str, Any] = {}
        for setting in self.settings:
            if setting.name in overrides:
                try:
                    values[setting.name] = setting.clean(overrides[setting.name])
                except ValidationError:
                    log.exception("the setting %s.%s keeps its default", self.name, setting.name)
        return self.defaults().model_copy(update=values)


#: By name, in the order of the admin's page.
COMPONENTS: Registry[Component[Any]] = Registry("components with settings")
