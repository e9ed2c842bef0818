from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet


def iter_pk_chunks(rows: "QuerySet[Any]", size: int) -> Iterator[list[int]]:
    """The primary keys of all rows in slices of `size`: no query stays open, so writers never wait."""
    last, ordered = 0, rows.order_by("pk").values_list("pk", flat=True)
    while some := list(ordered.filter(pk__gt=last)[:size]):
        yield some
        last = some[-1]
