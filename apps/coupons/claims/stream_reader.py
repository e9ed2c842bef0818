"""The order streams, read as text."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import cast

from apps.coupons.claims import entries
from apps.redis_kit import client

#: Entries read at a time.
PAGE_ENTRIES = 1_000
#: A script reads the clock moments before its entry gets its time for an id.
CLOCK_SLACK = timedelta(milliseconds=100)


def iter_raw_entries(stream: str, *, start: str = "-") -> Iterator[tuple[str, dict[str, str]]]:
    """(entry id, fields) of everything that waits in a stream from the id `start` on, oldest first."""
    while page := cast(
        list[tuple[str, dict[str, str]]], client.get().xrange(stream, min=start, count=PAGE_ENTRIES)
    ):
        yield from page
        start = f"({page[-1][0]}"


def iter_parsed(found: Iterable[tuple[str, dict[str, str]]]) -> Iterator[entries.AcceptedOrder]:
    """The accepted orders among raw entries; malformed ones are the dead letters' business."""
    for _, fields in found:
        try:
            yield entries.parse(fields)
        except entries.MalformedEntry:
            continue


def iter_waiting_orders(stream: str) -> Iterator[entries.AcceptedOrder]:
    """The accepted orders in a stream."""
    return iter_parsed(iter_raw_entries(stream))


def find_order(stream: str, order_id: int, *, accepted_at: datetime) -> entries.AcceptedOrder | None:
    """The order of that id while its entry waits; read from its time on, so others in flight cost little."""
    since = int((accepted_at - CLOCK_SLACK).timestamp() * 1000)
    found = iter_parsed(iter_raw_entries(stream, start=f"{since}-0"))
    return next((one for one in found if one.order_id == order_id), None)
