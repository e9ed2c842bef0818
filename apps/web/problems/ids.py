"""Parses row ids and whole numbers in requests: ASCII digits that fit SQL's 64 bits; refuses the rest."""

import re
from typing import Annotated, Any

from annotated_types import Ge, Le
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

MAX_ROW_ID = 2**63 - 1
_DIGITS_PATTERN = re.compile(r"-?[0-9]{1,19}")
_ID_PATTERN = re.compile(r"[0-9]{1,19}")


def plain_int(value: Any) -> int:
    """The number of an int or of ASCII digits; refuses true, 1.0, "1_000", "１", unlike pydantic."""
    if type(value) is int:
        return value
    if type(value) is str and _DIGITS_PATTERN.fullmatch(value):
        return int(value)
    raise PydanticCustomError("whole_number", "Input should be a whole number, in digits")


#: Stands behind the bounds of a number (`Annotated[int, Ge(1), Le(5), PlainDigits]`): pydantic writes those
#: that follow it as `ge` into the JSON schema, which nothing reads, and checks them in Python.
PlainDigits = BeforeValidator(plain_int)
#: The type of a row's id in the JSON API: 1 to 2^63 - 1, else 422.
RowId = Annotated[int, Ge(1), Le(MAX_ROW_ID), PlainDigits]


def parse_row_id(text: str | None) -> int:
    """The row id that a form, a query or a path names in ASCII digits; 0 when it names none."""
    number = int(text) if text and _ID_PATTERN.fullmatch(text) else 0
    return number if number <= MAX_ROW_ID else 0


class BigIdConverter:
    """The URL converter `<bigid:shop_id>`: accepts 1 to 2^63 - 1; other numbers give 404."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > MAX_ROW_ID:
            raise ValueError("no row has this id")
        return number

    def to_url(self, value: int) -> str:
        return str(value)
