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


def iter_pk_chunks(rows: "QuerySet[Any]", size: int, *, after: int = 0) -> Iterator[list[int]]:
    """The primary keys of all rows past `after` in ascending slices of `size`.

    Each slice is a query of its own: no query stays open, so writers never wait.
    """
    last, ordered = after, rows.order_by("pk").values_list("pk", flat=True)
    while chunk := list(ordered.filter(pk__gt=last)[:size]):
        yield chunk
        last = chunk[-1]


def counted_chunks(rows: "QuerySet[Any]", size: int) -> tuple[int, Iterator[list[int]]]:
    """The number of rows, and their primary keys in slices of `size`: the owners of redis_kit.copies."""
    return rows.count(), iter_pk_chunks(rows, size)
