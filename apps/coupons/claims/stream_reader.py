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
    """(entry id, fields) of the entries of a stream from the id `start` on, the oldest first."""
    while page := cast(
        list[tuple[str, dict[str, str]]], client.get().xrange(stream, min=start, count=PAGE_ENTRIES)
    ):
        yield from page
        start = f"({page[-1][0]}"


def iter_parsed(raw_entries: Iterable[tuple[str, dict[str, str]]]) -> Iterator[entries.AcceptedOrder]:
    """The accepted orders among raw entries; malformed ones are left to the dead letters."""
    for _, fields in raw_entries:
        try:
            yield entries.parse(fields)
        except entries.MalformedEntry:
            continue


def iter_waiting_orders(stream: str) -> Iterator[entries.AcceptedOrder]:
    """The accepted orders in a stream."""
    return iter_parsed(iter_raw_entries(stream))


def find_order(stream: str, order_id: int, *, accepted_at: datetime) -> entries.AcceptedOrder | None:
    """The order of that id, or None without an entry; reads from its time on, so that others cost little."""
    since = int((accepted_at - CLOCK_SLACK).timestamp() * 1000)
    orders = iter_parsed(iter_raw_entries(stream, start=f"{since}-0"))
    return next((order for order in orders if order.order_id == order_id), None)
