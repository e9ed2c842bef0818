"""Forms that two people may have open at once: neither undoes what the other has saved meanwhile.

A form of a row carries the state it was made from, signed, in one hidden field. When it comes back, a
field that only others have changed keeps what they saved; a field that both changed is asked about, with
both values. A form that comes without its state (a script, a page of an earlier release) is taken as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db.models import Model, QuerySet
from django.db.models.fields.files import FieldFile
from django.utils import formats, timezone
from django.utils.translation import gettext as _

#: Name of the hidden field.
STATE_FIELD = "made_from"
#: Values of the choice about one field.
THEIRS, MINE = "theirs", "mine"
_TIMES: dict[str, Any] = {"date": date.fromisoformat, "time": time.fromisoformat}


@dataclass(frozen=True)
class Disputed:
    """A field that two people have changed: its label, the name of the choice, and both values as texts."""

    label: str
    name: str
    theirs: str
    mine: str
    is_file: bool


class KeepsOthersChanges(forms.BaseForm):
    """A form whose `initial` is the row as it is now, also when the form is bound."""

    @property
    def carries_state(self) -> bool:
        """Whether there is a row that others may change; a form for a new one has none."""
        row = getattr(self, "instance", None)
        return bool(self.initial) if row is None else not row._state.adding

    @property
    def state(self) -> str:
        """The value of the hidden field: the row's fields as they are now, and which are asked about."""
        now = {name: to_plain(self[name].initial) for name in self._names}
        return self._signer().sign_object({"now": now, "asked": sorted(self._comparison.disputed)})

    @property
    def state_name(self) -> str:
        return self.add_prefix(STATE_FIELD)

    @property
    def disputed(self) -> list[Disputed]:
        """What the page asks about before this form can be saved."""
        return [self._describe(name) for name in self.fields if name in self._comparison.disputed]

    @cached_property
    def changed_data(self) -> list[str]:
        """The fields that this form changes, without those that others changed meanwhile."""
        return [name for name in super().changed_data if name not in self._comparison.kept]

    def describe_value(self, name: str, value: Any) -> str:
        """The text of a field's value, the row's or the one that was sent, for the choice."""
        return describe(self.fields[name], value)

    def full_clean(self) -> None:
        """Clean what was sent, with what others have saved in the fields that this form leaves alone."""
        kept = [self.fields[name] for name in self._comparison.kept]
        for field in kept:
            if isinstance(field, forms.FileField):
                # It would read the file's size from the storage.
                field._clean_bound_field = _keep_file  # type: ignore[attr-defined]
            else:
                # Django's way to take the row's value, whatever was sent.
                field.disabled = True
        super().full_clean()
        for field in kept:
            field.disabled = False

    def _clean_fields(self) -> None:
        super()._clean_fields()  # type: ignore[misc]
        if self._comparison.is_unreadable:
            self.add_error(
                None, _("What this page was made from can't be read. Look at everything again, and save it.")
            )
        for name in self._comparison.disputed:
            self.add_error(name, ValidationError(self._question(), code="changed_meanwhile"))

    @staticmethod
    def _question() -> str:
        return _("This was changed while you had the page open. Choose above which one stays.")

    @cached_property
    def _comparison(self) -> "_Comparison":
        found = _Comparison()
        sent = self.data.get(self.state_name) if self.is_bound and self.carries_state else None
        if not sent:
            return found
        try:
            state = self._signer().unsign_object(sent)
        except (signing.BadSignature, ValueError):
            return _Comparison(is_unreadable=True)
        for name in self._names:
            if name in state["now"]:
                self._compare(name, state["now"][name], found, is_asked=name in state["asked"])
        for name in found.kept:
            # Where the page is shown again it shows what is kept.
            self.fields[name].bound_data = _keep_initial  # type: ignore[assignment, method-assign]
        return found

    def _compare(self, name: str, before: Any, found: "_Comparison", *, is_asked: bool) -> None:
        """Decide about one field, whose plain value was `before` when the page was made."""
        bound = self[name]
        is_same_now = not _differs(bound.field, bound.initial, bound.data)
        is_theirs = to_plain(bound.initial) != before
        chosen = self.data.get(self.choice_name(name)) if is_asked and not is_theirs else None
        if chosen == MINE or (not is_asked and not is_theirs):
            return
        if chosen == THEIRS or not (is_asked or _differs(bound.field, to_value(before), bound.data)):
            found.kept.add(name)
        elif not is_same_now:
            found.disputed.add(name)

    def choice_name(self, name: str) -> str:
        """The name of the two buttons that choose about a field."""
        return f"{self.add_prefix(name)}-{STATE_FIELD}"

    @cached_property
    def _names(self) -> list[str]:
        """The fields with a state: those that show what the row has."""
        return [
            name
            for name, field in self.fields.items()
            if not field.disabled and getattr(field.widget, "render_value", True)
        ]

    def _signer(self) -> signing.Signer:
        """A state belongs to its row: that of another one doesn't fit."""
        row = getattr(self, "instance", None)
        of = f"{row._meta.label}:{row.pk}" if row is not None else type(self).__name__
        return signing.Signer(salt=f"form_state:{of}:{self.prefix or ''}")

    def _describe(self, name: str) -> Disputed:
        bound = self[name]
        return Disputed(
            str(bound.label),
            self.choice_name(name),
            self.describe_value(name, bound.initial),
            self.describe_value(name, bound.data),
            isinstance(bound.field, forms.FileField),
        )


class _Comparison:
    """The fields that keep what others saved, and those that both have changed."""

    def __init__(self, *, is_unreadable: bool = False) -> None:
        self.kept: set[str] = set()
        self.disputed: set[str] = set()
        self.is_unreadable = is_unreadable


def merging(form_class: type[Any]) -> type[Any]:
    """Return a class of forms that does the same and keeps others' changes."""
    if issubclass(form_class, KeepsOthersChanges):
        return form_class
    body = {"__module__": form_class.__module__, "__doc__": form_class.__doc__}
    metaclass: Any = type(form_class)
    made: type[Any] = metaclass(form_class.__name__, (KeepsOthersChanges, form_class), body)
    return made


def to_plain(value: Any) -> Any:
    """Return a field's value as JSON holds it, the same for equal values; `to_value` reads it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return next((write(value) for kind, write in _WRITERS if isinstance(value, kind)), str(value))


def _plain_rows(values: Any) -> list[Any]:
    """Rows and sets have no order of their own."""
    return sorted((to_plain(one) for one in values), key=str)


def _plain_list(values: Any) -> list[Any]:
    has_rows = any(isinstance(one, Model) for one in values)
    return _plain_rows(values) if has_rows else [to_plain(one) for one in values]


def _plain_moment(value: datetime) -> dict[str, str]:
    return {"moment": (value.astimezone(UTC) if timezone.is_aware(value) else value).isoformat()}


#: How each kind of value is written; the first that fits counts.
_WRITERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, lambda value: _unix_lines(value)),
    (datetime, _plain_moment),
    (date, lambda value: {"date": value.isoformat()}),
    (time, lambda value: {"time": value.isoformat()}),
    (timedelta, lambda value: {"seconds": value.total_seconds()}),
    (Decimal, lambda value: {"number": str(value.normalize())}),
    (FieldFile, lambda value: value.name or None),
    (Model, lambda value: value.pk),
    (Mapping, lambda value: {"object": {str(key): to_plain(one) for key, one in value.items()}}),
    (QuerySet | set | frozenset, _plain_rows),
    (list | tuple, _plain_list),
)


def to_value(plain: Any) -> Any:
    """Return the value that `to_plain` wrote; of a row its key, of a file its name."""
    if isinstance(plain, list):
        return [to_value(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, written),) = plain.items()
    if kind == "object":
        return {key: to_value(one) for key, one in written.items()}
    if kind == "moment":
        return datetime.fromisoformat(written)
    if kind == "seconds":
        return timedelta(seconds=written)
    return Decimal(written) if kind == "number" else _TIMES[kind](written)


def describe(field: forms.Field, value: Any) -> str:
    """Return a value, the row's or the one that was sent, as its text for the choice; a dash for none."""
    if isinstance(value, list | tuple | set | QuerySet) and not isinstance(field, forms.MultiValueField):
        return ", ".join(describe(field, one) for one in value) or "–"
    if isinstance(field, forms.MultiValueField) and isinstance(value, list):
        return " ".join(str(one) for one in value if one) or "–"
    if isinstance(field, forms.BooleanField):
        return _("yes") if field.to_python(value) else _("no")
    if isinstance(value, File):
        return (value.name or "").rpartition("/")[2] or "–"
    if isinstance(value, Model):
        return str(value)
    if isinstance(value, datetime):
        value = timezone.localtime(value) if timezone.is_aware(value) else value
        return str(formats.localize(value))
    return _name_of_choice(field, value) or str(field.prepare_value(value) or "").strip() or "–"


def _name_of_choice(field: forms.Field, value: Any) -> str:
    """The label that a field with choices has for a value, or ""."""
    if isinstance(field, forms.ModelChoiceField) and value not in field.empty_values:
        queryset = cast("QuerySet[Model]", field.queryset)
        key = field.to_field_name or "pk"
        try:
            row = queryset.filter(**{key: value}).first()
        except (ValueError, OverflowError, ValidationError):
            return ""
        return field.label_from_instance(row) if row else ""
    choices: Any = getattr(field, "choices", None) or getattr(field.widget, "choices", ())
    if isinstance(field, forms.ModelChoiceField):
        return ""
    for key, label in choices:
        if isinstance(label, list | tuple):
            if found := next((text for one, text in label if str(one) == str(value)), ""):
                return str(found)
        elif str(key) == str(value):
            return str(label)
    return ""


def _keep_file(bound: forms.BoundField) -> Any:
    return bound.initial


def _keep_initial(_data: Any, initial: Any) -> Any:
    return initial


def _differs(field: forms.Field, value: Any, sent: Any) -> bool:
    """Whether what was sent is another value of this field; browsers send lines with a carriage return."""
    sent = _unix_lines(sent) if isinstance(sent, str) else sent
    prepared = field.prepare_value(value)
    if isinstance(prepared, str | int) and isinstance(sent, str) and _unix_lines(str(prepared)) == sent:
        return False
    return field.has_changed(_unix_lines(value) if isinstance(value, str) else value, sent)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
