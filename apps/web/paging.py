"""Cursor paging: signs a row's position in a stable order, and fetches the page of rows after it.

A cursor holds the sort values of the last row shown, so rows added or deleted in between neither
repeat nor hide others, and page 500 costs what page 1 does. Every list of the API takes a `Cursor` and a
`Size`, and answers `items` and `next`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, update_wrapper
from typing import Annotated, Any, Generic, ParamSpec, TypeVar

from annotated_types import Ge, Le
from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from pydantic import Field

from apps.web.compiled_queries import CompiledQuery, Placeholder
from apps.web.problems import PlainDigits, Problem

SortValue = int | str | float
Values = ParamSpec("Values")
Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")

CURSOR_SALT = "savor.paging"
#: decode refuses older cursors: after a week a position in a list is of no use.
MAX_CURSOR_AGE = timedelta(days=7)
#: In characters; sort values are numbers and times, so cursors are short.
MAX_CURSOR_LENGTH = 1000
#: Rows of a page, and the most that a program may have of one.
PAGE_SIZE, MAX_SIZE = 20, 50
#: Rows of an order that are looked at, before those that satisfy a condition are sorted.
WALKED_ROWS = 1_000
#: What a list takes in the API. The document describes both, as they mean the same everywhere.
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)]
Size = Annotated[int, Ge(1), Le(MAX_SIZE), PlainDigits]
#: The size for a list of few rows, which comes whole where nothing is said.
SizeOrAll = Size | None
#: What a list answers beside its items.
Next = Annotated[str | None, Field(description="`cursor` of the next page; null after the last")]


class BadCursor(Problem):
    """The cursor was forged, cut, outdated, or made for another list: Problem 422 bad_cursor."""

    def __init__(self) -> None:
        sentence = _("This list has changed. Start again from its first page.")
        super().__init__(422, "bad_cursor", sentence, errors=[{"field": "cursor", "message": sentence}])


def two_positions(*names: str) -> Problem:
    """Problem 422: a request names a position by its cursor and by what the cursor has replaced."""
    sentence = _("Send the cursor alone.")
    fields = [{"field": name, "message": sentence} for name in names]
    return Problem(422, "invalid", _("Some fields are not right."), errors=fields)


@dataclass(frozen=True)
class Page(Generic[Item]):
    """The rows of one page, and the cursor of the next page (None after the last)."""

    items: list[Item]
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
        raise BadCursor
    try:
        values = signing.loads(cursor, salt=f"{CURSOR_SALT}:{kind}", max_age=MAX_CURSOR_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadCursor from error
    if [type(value) for value in values] != list(types):
        raise BadCursor
    return tuple(values)


def cut_list(
    items: Sequence[Item], *, key: Callable[[Item], int | str], kind: str, cursor: str, size: int | None
) -> "Page[Item]":
    """A page of a list of few rows, known as a whole; without a size all of them, or all that are left.

    It goes on after the row with the key of the last; if that is gone, after as many rows as were read.
    """
    start = 0
    if cursor:
        last, read = decode(cursor, [str, int], kind=kind)
        places = (place for place, item in enumerate(items, 1) if str(key(item)) == last)
        start = next(places, int(read))
    end = len(items) if size is None else start + size
    page = list(items[start:end])
    following = encode(str(key(page[-1])), end, kind=kind) if page and end < len(items) else None
    return Page(page, following)


def fetch_page(
    rows: "QuerySet[Row]",
    *,
    order: Sequence[str],
    types: Sequence[type[SortValue]],
    cursor: str | None,
    size: int,
    condition: Q | None = None,
) -> "Page[Row]":
    """At most `size` rows after the cursor, or the first ones; BadCursor for a bad cursor.

    `order`, such as ("-rating", "id"), ends in a unique field; `types` are the types of its fields. With a
    `condition` on another table the rows are those of `first_that`.
    """
    if cursor:
        rows = rows.filter(rows_after(order, decode(cursor, types, kind=list_kind(rows.model, order))))
    found = first_that(rows.order_by(*order), condition or Q(), size + 1)
    return _build_page(found, order, types, size)


def first_that(rows: "QuerySet[Row]", condition: Q, count: int) -> "list[Row]":
    """The first `count` of ordered rows that satisfy a condition, one on another table such as their shop's.

    Where many rows do, enough of the first WALKED_ROWS do; else the few that do are found and sorted.
    """
    if condition:
        walked = rows.filter(condition, pk__in=rows.values("pk")[:WALKED_ROWS])
        found = list(walked[:count])
        if len(found) == count:
            return found
    return list(rows.filter(condition)[:count])


class CompiledPages(Generic[Values, Row]):
    """A list whose two queries are compiled once a size: that of its first page, and that of any page after.

        comments = CompiledPages(_query_comments, model=Comment, order=["id"], types=[int])
        comments.fetch(cursor, size, note_id)

    `build` is a function as for a CompiledQuery, which returns the objects of the list in any order.
    """

    def __init__(
        self,
        build: Callable[Values, "QuerySet[Row]"],
        *,
        model: type[Row],
        order: Sequence[str],
        types: Sequence[type[SortValue]],
    ) -> None:
        self._model, self._order, self._types = model, order, types
        self._build: Any = build
        self._queries = cache(self._build_queries)

    def fetch(
        self, cursor: str | None, size: int, *values: Values.args, **named: Values.kwargs
    ) -> "Page[Row]":
        """The page after the cursor, or the first one; BadCursor for a bad cursor."""
        first, further = self._queries(size)
        if cursor:
            position = decode(cursor, self._types, kind=list_kind(self._model, self._order))
            found = further(*values, **named, **dict(zip(self._order, position, strict=True)))
        else:
            found = first(*values, **named)
        return _build_page(found, self._order, self._types, size)

    def _build_queries(self, size: int) -> tuple[Any, Any]:
        build = self._build
        first: Any = update_wrapper(lambda *values: self._limit(build(*values), size), build)
        further: Any = update_wrapper(lambda *values: self._limit(self._after(build(*values)), size), build)
        return CompiledQuery(first), CompiledQuery(further)

    def _limit(self, rows: "QuerySet[Row]", size: int) -> "QuerySet[Row]":
        return rows.order_by(*self._order)[: size + 1]

    def _after(self, rows: "QuerySet[Row]") -> "QuerySet[Row]":
        fields = [self._model._meta.get_field(name.lstrip("-")) for name in self._order]
        position: Any = [Placeholder(name, field) for name, field in zip(self._order, fields, strict=True)]
        return rows.filter(rows_after(self._order, position))


def list_kind(model: type[Model], order: Sequence[str]) -> str:
    """The name of a list in its cursors, so that another list refuses them."""
    return f"{model.__name__}:{','.join(order)}"


def _build_page(
    found: "list[Row]", order: Sequence[str], types: Sequence[type[SortValue]], size: int
) -> "Page[Row]":
    """The page of the first `size` rows, with a cursor if there is one more."""
    if len(found) <= size:
        return Page(found, None)
    last = found[size - 1]
    values = [made(getattr(last, name.lstrip("-"))) for name, made in zip(order, types, strict=True)]
    return Page(found[:size], encode(*values, kind=list_kind(type(last), order)))


def rows_after(order: Sequence[str], values: Sequence[SortValue]) -> Q:
    """The filter for rows after a position: equal in the first fields, beyond it in the next one."""
    beyond, same = Q(), Q()
    for name, value in zip(order, values, strict=True):
        field, way = name.lstrip("-"), "lt" if name.startswith("-") else "gt"
        beyond |= same & Q(**{f"{field}__{way}": value})
        same &= Q(**{field: value})
    return beyond
