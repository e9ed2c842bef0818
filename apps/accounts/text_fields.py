"""Text that people write about themselves: any script, but no characters that hide or reverse text."""

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.web.characters import has_visible_characters, to_line_feeds

#: Override and isolate marks: they turn the text that follows, also ours.
_BIDI_CONTROLS = set(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
#: Line separators, control characters, lone surrogates, private use.
_HIDDEN_CATEGORIES = {"Cc", "Cs", "Co", "Zl", "Zp"}
#: Accents stacked past this paint over the lines above and below.
MAX_STACKED_MARKS = 4
#: A gap wider than one empty line only pushes away what others wrote below.
_WIDE_GAP_PATTERN = re.compile(r"\n[ \t\n]*\n")


def validate_line(text: str) -> None:
    """Django's validator of one line that other people read."""
    marks = 0
    for character in text:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if kind in _HIDDEN_CATEGORIES or character in _BIDI_CONTROLS or marks > MAX_STACKED_MARKS:
            raise ValidationError(_("Some of these characters can't be shown."), code="unreadable")


def validate_lines(text: str) -> None:
    """Django's validator of text of several lines."""
    validate_line(text.replace("\n", " ").replace("\t", " "))


class LineField(models.CharField[str, str]):
    """One line of readable text: outer space cut, inner space single; "" when nothing of it is visible."""

    default_validators = [*models.CharField.default_validators, validate_line]

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return blank_if_invisible(" ".join(text.split(" ")).strip()) if isinstance(text, str) else text


class NicknameField(LineField):
    """A person's name; "" in the database is a deleted account, which readers see in their language."""

    def from_db_value(self, value: str | None, _expression: Any, _connection: Any) -> str | None:
        return gettext("Deleted account") if value == "" else value


class LinesField(models.TextField[str, str]):
    """Several lines of readable text, at most `max_length` letters: one kind of line end, narrow gaps."""

    default_validators = [*models.TextField.default_validators, validate_lines]

    @property
    def validators(self) -> list[Any]:
        # Django's TextField leaves its length to forms, and not everything comes through one.
        return [*super().validators, *([MaxLengthValidator(self.max_length)] if self.max_length else [])]

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return normalize_lines(text) if isinstance(text, str) else text

    def formfield(self, **kwargs: Any) -> Any:
        """Return a form's field that counts letters as this one does."""
        return super().formfield(**{"form_class": LinesFormField, **kwargs})


class LinesFormField(forms.CharField):
    """The form's field of a box of several lines: a browser's line ends of two characters count as one."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return normalize_lines(text) if isinstance(text, str) else text


def normalize_lines(text: str) -> str:
    """Return the text with "\\n" as line ends, no space around it, no gap of more than one empty line.

    A text of which nothing is visible is "".
    """
    return blank_if_invisible(_WIDE_GAP_PATTERN.sub("\n\n", to_line_feeds(text)).strip())


def blank_if_invisible(text: str) -> str:
    """Return the text, or "" when a reader sees nothing of it."""
    return text if has_visible_characters(text) else ""
