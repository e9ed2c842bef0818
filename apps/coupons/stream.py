"""The order streams, read as text."""

from collections.abc import Iterable, Iterator
from typing import cast

from apps.coupons import entries
from apps.redis_kit import client

#: Entries read at a time.
PAGE = 1_000


def raw_entries(stream: str) -> Iterator[tuple[str, dict[str, str]]]:
    """(entry id, fields) of everything that waits in a stream, oldest first."""
    start = "-"
    while page := cast(list[tuple[str, dict[str, str]]], client.get().xrange(stream, min=start, count=PAGE)):
        yield from page
        start = f"({page[-1][0]}"


def parsed(found: Iterable[tuple[str, dict[str, str]]]) -> Iterator[entries.Accepted]:
    """The accepted orders among raw entries; malformed ones are the dead letters' business."""
    for _, fields in found:
        try:
            yield entries.parse(fields)
        except entries.Malformed:
            continue


def waiting(stream: str) -> Iterator[entries.Accepted]:
    """The accepted orders in a stream."""
    return parsed(raw_entries(stream))
