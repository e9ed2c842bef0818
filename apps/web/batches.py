"""Slices of long lists: of any iterable, and of the primary keys of a query."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db.models import QuerySet

Item = TypeVar("Item")


def chunked(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of at most `size` items, read as they are needed."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def iter_pk_chunks(
    rows: "QuerySet[Any]", size: int, *, after: int = 0, column: str = "pk"
) -> Iterator[list[int]]:
    """The primary keys of all rows past `after`, or the ids in another column, in ascending slices of `size`.

    Each slice is a query of its own: no query stays open, so writers never wait.
    """
    last, ordered = after, _ids(rows, column)
    while chunk := list(ordered.filter(**{f"{column}__gt": last})[:size]):
        yield chunk
        last = chunk[-1]


def counted_chunks(
    rows: "QuerySet[Any]", size: int, *, column: str = "pk"
) -> tuple[int, Iterator[list[int]]]:
    """The number of ids and their slices, as redis_kit.copies takes owners."""
    return _ids(rows, column).count(), iter_pk_chunks(rows, size, column=column)


def _ids(rows: "QuerySet[Any]", column: str) -> "QuerySet[Any, int]":
    ids = rows.order_by(column).values_list(column, flat=True)
    return ids if column == "pk" else ids.distinct()
