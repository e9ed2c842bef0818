"""What people call themselves: any script, but nothing that hides or turns the text around it."""

import unicodedata
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

#: Override and isolate marks: they turn the text that follows, also ours.
_TURNING = set(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
#: Line separators, control characters, lone surrogates, private use.
_HIDDEN = {"Cc", "Cs", "Co", "Zl", "Zp"}
#: Accents stacked past this paint over the lines above and below.
MOST_MARKS_IN_A_ROW = 4


def readable(text: str) -> None:
    """Django's validator of one line that other people read."""
    marks = 0
    for letter in text:
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if kind in _HIDDEN or letter in _TURNING or marks > MOST_MARKS_IN_A_ROW:
            raise ValidationError(_("Some of these characters can't be shown."), code="unreadable")


class LineField(models.CharField[str, str]):
    """One line of text: outer space cut, inner space single, and readable."""

    default_validators = [*models.CharField.default_validators, readable]

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return " ".join(text.split(" ")).strip() if isinstance(text, str) else text
