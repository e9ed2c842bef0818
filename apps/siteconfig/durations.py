"""Durations as operators read and enter them: a whole number of hours, minutes or seconds, never rounded."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget

#: Seconds of a unit, its name, and the text of so many; the largest first.
UNITS: tuple[tuple[int, Promise, Promise], ...] = (
    (3_600, gettext_lazy("hours"), ngettext_lazy("%(count)d hour", "%(count)d hours", "count")),
    (60, gettext_lazy("minutes"), ngettext_lazy("%(count)d minute", "%(count)d minutes", "count")),
    (1, gettext_lazy("seconds"), ngettext_lazy("%(count)d second", "%(count)d seconds", "count")),
)
#: Digits of a number of hours, minutes or seconds at most.
MAX_DIGITS = 12


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
            raise ValidationError(_("At least %(duration)s.") % {"duration": format_duration(least, unit)})
        if most is not None and seconds > most:
            raise ValidationError(_("At most %(duration)s.") % {"duration": format_duration(most, unit)})
        return seconds
