"""Cursor paging: signs a row's position in a stable order, and fetches the page of rows after it.

A cursor holds the sort values of the last row shown, so rows added or deleted in between neither
repeat nor hide others, and page 500 costs what page 1 does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

SortValue = int | str | float
Row = TypeVar("Row", bound=Model)

CURSOR_SALT = "savor.paging"
#: decode refuses older cursors: after a week a position in a list is of no use.
MAX_CURSOR_AGE = timedelta(days=7)
#: In characters; sort values are numbers and times, so cursors are short.
MAX_CURSOR_LENGTH = 1000


class BadCursor(ValueError):  # noqa: N818 - says what it is
    """The cursor was forged, cut, outdated, or made for another list."""


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of one page, and the cursor of the next page (None after the last)."""

    items: list[Row]
    next: str | None


def encode(*values: SortValue, kind: str = "") -> str:
    """The signed cursor of a position in the list `kind`; ValueError for long texts or infinite numbers."""
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        raise ValueError("a cursor needs finite numbers")
    cursor = signing.dumps(list(values), salt=f"{CURSOR_SALT}:{kind}")
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise ValueError("a cursor needs short texts")
    return cursor


def decode(cursor: str, types: Sequence[type[SortValue]], *, kind: str = "") -> tuple[SortValue, ...]:
    """The sort values in a cursor; BadCursor when its signature, age, `kind` or types are wrong."""
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise BadCursor("the cursor is too long")
    try:
        values = signing.loads(cursor, salt=f"{CURSOR_SALT}:{kind}", max_age=MAX_CURSOR_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadCursor("the cursor is not one of ours, or too old") from error
    if [type(value) for value in values] != list(types):
        raise BadCursor("the cursor belongs to another list")
    return tuple(values)


def fetch_page(
    rows: "QuerySet[Row]",
    *,
    order: Sequence[str],
    types: Sequence[type[SortValue]],
    cursor: str | None,
    size: int,
) -> "Page[Row]":
    """At most `size` rows after the cursor, or the first ones; BadCursor for a bad cursor.

    `order`, such as ("-rating", "id"), ends in a unique field; `types` are the types of its fields.
    """
    kind = f"{rows.model.__name__}:{','.join(order)}"
    if cursor:
        rows = rows.filter(_rows_after(order, decode(cursor, types, kind=kind)))
    found = list(rows.order_by(*order)[: size + 1])
    if len(found) <= size:
        return Page(found, None)
    last = found[size - 1]
    values = [made(getattr(last, name.lstrip("-"))) for name, made in zip(order, types, strict=True)]
    return Page(found[:size], encode(*values, kind=kind))


def _rows_after(order: Sequence[str], values: Sequence[SortValue]) -> Q:
    """The filter for rows after a position: equal in the first fields, beyond it in the next one."""
    beyond, same = Q(), Q()
    for name, value in zip(order, values, strict=True):
        field, way = name.lstrip("-"), "lt" if name.startswith("-") else "gt"
        beyond |= same & Q(**{f"{field}__{way}": value})
        same &= Q(**{field: value})
    return beyond
