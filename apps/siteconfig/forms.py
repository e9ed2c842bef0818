"""Forms of the admin's pages about the running site; durations as a whole number of a unit, never rounded."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from apps.redis_kit import addresses
from apps.siteconfig.components.definitions import Component, Setting
from apps.web.form_state import KeepsOthersChanges

#: Seconds of a unit, its name, and the text of so many; the largest first.
UNITS: tuple[tuple[int, Promise, Promise], ...] = (
    (3_600, gettext_lazy("hours"), ngettext_lazy("%(count)d hour", "%(count)d hours", "count")),
    (60, gettext_lazy("minutes"), ngettext_lazy("%(count)d minute", "%(count)d minutes", "count")),
    (1, gettext_lazy("seconds"), ngettext_lazy("%(count)d second", "%(count)d seconds", "count")),
)
#: Digits of a number of hours, minutes or seconds at most.
MAX_DIGITS = 12

#: Values of the field `ends`: minutes from now, or one of these words.
UNKNOWN_END, UNCHANGED_END = "unknown", "unchanged"
DURATION_CHOICES = [
    ("15", _("in 15 minutes")),
    ("30", _("in half an hour")),
    ("60", _("in an hour")),
    ("120", _("in 2 hours")),
    ("360", _("in 6 hours")),
    (UNKNOWN_END, _("nobody knows yet")),
]


def find_unit(seconds: int) -> int:
    """The seconds of the largest unit in which a duration is a whole number; minutes for none at all."""
    return next(unit for unit, _name, _text in UNITS if seconds % unit == 0) if seconds else 60


def format_duration(seconds: int, unit: int | None = None) -> str:
    """ "15 minutes" or "90 seconds": in a unit of UNITS if it is exact in it, else in the largest that is."""
    exact = unit if unit and seconds % unit == 0 else find_unit(seconds)
    text = next(text for size, _name, text in UNITS if size == exact)
    return str(text % {"count": seconds // exact})


class DurationWidget(forms.MultiWidget):
    """A number and its unit, which is that of the default while no number is there."""

    def __init__(self, default: int) -> None:
        self._unit = find_unit(default)
        number = {"min": 0, "class": "sv-duration", "placeholder": default // self._unit}
        unit = {"class": "sv-duration", "aria-label": gettext_lazy("Unit")}
        super().__init__(
            [
                UnfoldAdminIntegerFieldWidget(attrs=number),
                UnfoldAdminSelectWidget(attrs=unit, choices=[(size, name) for size, name, _text in UNITS]),
            ]
        )

    def decompress(self, value: int | None) -> list[int | None]:
        unit = self._unit if value is None else find_unit(value)
        return [None if value is None else value // unit, unit]

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0"


class DurationField(forms.MultiValueField):
    """Whole seconds between two bounds, entered with a unit; None without a number."""

    def __init__(self, *, default: int, min_value: int | None, max_value: int | None, **options: Any) -> None:
        self._bounds = min_value, max_value
        number = forms.IntegerField(min_value=0, max_value=10**MAX_DIGITS, required=False)
        unit = forms.TypedChoiceField(
            choices=[(size, name) for size, name, _text in UNITS], coerce=int, required=False
        )
        super().__init__((number, unit), widget=DurationWidget(default), require_all_fields=False, **options)
        self._unit = find_unit(default)

    def compress(self, data_list: Sequence[int | None]) -> int | None:
        number, unit = (*data_list, None, None)[:2]
        if number is None:
            return None
        unit = unit or self._unit
        seconds = number * unit
        least, most = self._bounds
        if least is not None and seconds < least:
            raise ValidationError(
                gettext("At least %(duration)s.") % {"duration": format_duration(least, unit)}
            )
        if most is not None and seconds > most:
            raise ValidationError(
                gettext("At most %(duration)s.") % {"duration": format_duration(most, unit)}
            )
        return seconds


class MaintenanceForm(KeepsOthersChanges, forms.Form):
    """The form of the maintenance page: when the site opens again, and the text until then."""

    ends = forms.ChoiceField(
        label=_("Open again"), choices=DURATION_CHOICES, initial="30", widget=UnfoldAdminSelectWidget
    )
    text_en = forms.CharField(
        label=_("Text in English"),
        max_length=300,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "We are moving to a larger kitchen."}),
    )
    text_zh = forms.CharField(
        label=_("Text in Chinese"),
        max_length=300,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "我们正在升级系统。"}),
        help_text=_("Without texts the page says that we are working on the site."),
    )

    def __init__(self, *arguments: Any, until: datetime | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._until = until
        if until:
            moment = timezone.localtime(until).strftime("%H:%M")
            kept = (UNCHANGED_END, _("at %(time)s, as announced") % {"time": moment})
            ends = cast(forms.ChoiceField, self.fields["ends"])
            ends.choices = [kept, *DURATION_CHOICES]
            ends.initial = UNCHANGED_END

    @property
    def announcement(self) -> dict[str, Any]:
        """The arguments of `switch.close_site` that were entered."""
        return {"until": self._end(), **{name: self.cleaned_data[name] for name in ("text_en", "text_zh")}}

    def _end(self) -> datetime | None:
        chosen = self.cleaned_data["ends"]
        if chosen == UNCHANGED_END:
            return self._until
        return None if chosen == UNKNOWN_END else timezone.now() + timedelta(minutes=int(chosen))


class SettingsForm(KeepsOthersChanges, forms.Form):
    """The settings of one component; an empty field means the default."""

    based_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, component: Component[Any], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._component = component
        defaults = component.defaults()
        for setting in component.settings:
            self.fields[setting.name] = _build_field(setting, getattr(defaults, setting.name))

    @property
    def overrides(self) -> dict[str, Any]:
        """What was entered, without the empty fields."""
        entered = {setting.name: self.cleaned_data[setting.name] for setting in self._component.settings}
        return {name: value for name, value in entered.items() if value not in (None, "")}

    def add_refusal(self, refusal: ValidationError) -> None:
        """Show the sentences of a verb beside their fields."""
        sentences = refusal.message_dict if hasattr(refusal, "error_dict") else {None: refusal.messages}
        for name, found in sentences.items():
            for sentence in found:
                self.add_error(name, sentence)


def describe_value(setting: Setting, value: Any) -> str:
    """A setting's value with its unit, and without the password of a URL; a dash for none."""
    if value in ("", None):
        return "–"
    if not isinstance(value, int):
        return addresses.hide_passwords(str(value))
    if setting.about.is_duration:
        return format_duration(value)
    return f"{intcomma(value)} {setting.about.unit}".strip()


def _build_field(setting: Setting, default: Any) -> forms.Field:
    """The form field of a setting; its help says what a change does and what the default is."""
    about = setting.about
    has_unit = about.unit and not about.is_duration
    label = format_lazy("{} ({})", about.label, about.unit) if has_unit else about.label
    default_text = _("Default: %(value)s.") % {"value": describe_value(setting, default)}
    common: dict[str, Any] = {
        "label": label,
        "required": False,
        "help_text": format_lazy("{} {}", about.effect, default_text),
    }
    if about.is_duration:
        bounds = {"min_value": setting.bound("ge"), "max_value": setting.bound("le")}
        return DurationField(default=default, **bounds, **common)
    if isinstance(default, int):
        return forms.IntegerField(
            min_value=setting.bound("ge"),
            max_value=setting.bound("le"),
            widget=UnfoldAdminIntegerFieldWidget(attrs={"placeholder": default}),
            **common,
        )
    widget = UnfoldAdminTextInputWidget(attrs={"placeholder": default})
    return forms.CharField(max_length=setting.bound("max_length"), widget=widget, **common)
