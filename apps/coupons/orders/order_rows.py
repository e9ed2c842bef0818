"""The INSERT of a batch of accepted orders: one statement, in the dialect of each database, without model
objects.

A row that a unique constraint refuses is left out and the others are written, so a batch with a few
conflicts costs what a batch without costs. A missing person or voucher fails the whole transaction.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from apps.coupons.models import Status, VoucherOrder


class Row(NamedTuple):
    """The columns in which the orders of a batch differ, by their names in SQL."""

    id: int
    token: str
    user_id: int
    voucher_id: int
    price: int
    currency: str
    epoch: int
    accepted_at: datetime
    redeem_code: str
    valid_until: datetime | None
    piece: int


#: Rows a statement: SQLite takes 32,766 values at most.
MAX_STATEMENT_ROWS = 1_000

RowSource = tuple[str, list[Any]]


def insert(rows: Sequence[Row], *, pay_deadline: datetime) -> set[int]:
    """The ids of the rows written, as unpaid orders; rows that a unique constraint refuses are left out."""
    new = set[int]()
    as_stored = connection.ops.adapt_datetimefield_value
    fixed = [Status.UNPAID.value, as_stored(timezone.now()), as_stored(pay_deadline)]
    with connection.cursor() as cursor:
        for start in range(0, len(rows), MAX_STATEMENT_ROWS):
            source, values = _SOURCE_BY_VENDOR[connection.vendor](rows[start : start + MAX_STATEMENT_ROWS])
            statement = f"{_INSERT_INTO} SELECT %s, %s, %s, * FROM {source} {_SKIP_CONFLICTS}"  # noqa: S608
            cursor.execute(statement, [*fixed, *values])
            new |= {number for (number,) in cursor.fetchall()}
    return new


# Only names of this file are in the text of a statement.
_INSERT_INTO = (
    f"INSERT INTO {VoucherOrder._meta.db_table} (status, created_at, pay_deadline, {', '.join(Row._fields)})"
)
# WHERE, because SQLite would take "ON" for that of a join.
_SKIP_CONFLICTS = "WHERE true ON CONFLICT DO NOTHING RETURNING id"


def _unnest_source(rows: Sequence[Row]) -> RowSource:
    """PostgreSQL: an array a column."""
    return _UNNEST, [_array_literal(column) for column in zip(*rows, strict=True)]


_COLUMN_TYPES = {int: "bigint", str: "text", datetime: "timestamptz", datetime | None: "timestamptz"}
_UNNEST = f"unnest({', '.join(f'%s::{_COLUMN_TYPES[kind]}[]' for kind in Row.__annotations__.values())})"


def _array_literal(column: Iterable[Any]) -> str:
    """A literal, whose quotes suit every type; psycopg takes three times as long to make it of a list."""
    items = ("NULL" if item is None else f'"{_escape(str(item))}"' for item in column)
    return "{" + ",".join(items) + "}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _values_source(rows: Sequence[Row]) -> RowSource:
    """SQLite: a list of rows, with a placeholder for each value."""
    as_stored = connection.ops.adapt_datetimefield_value
    values = [as_stored(value) if isinstance(value, datetime) else value for row in rows for value in row]
    return f"(VALUES {', '.join([_PLACEHOLDERS] * len(rows))})", values


_PLACEHOLDERS = f"({', '.join(['%s'] * len(Row._fields))})"
_SOURCE_BY_VENDOR: dict[str, Callable[[Sequence[Row]], RowSource]] = {
    "postgresql": _unnest_source,
    "sqlite": _values_source,
}
