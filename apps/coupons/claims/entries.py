"""Reads the order streams: an entry becomes an accepted order."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, cast

from django.utils.translation import gettext_noop

from apps.coupons import keys
from apps.coupons.claims import receipts
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.redis_kit import client
from apps.web.stored_texts import Template

#: A client's request token: short, and without the separators of our values.
REQUEST_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: The version of entries that this code writes and reads.
ENTRY_VERSION = "1"
#: The largest number of an SQL bigint.
MAX_BIGINT = (1 << 63) - 1

OTHER_VERSION = Template(gettext_noop("version %(found)s is not %(expected)s"))
WRONG_TOKEN = Template(gettext_noop("token is missing or has other characters than letters, digits, _ and -"))
WRONG_PIECE = Template(gettext_noop("piece is %(piece)s, and nobody may have so many"))
NO_NUMBER = Template(gettext_noop("%(name)s is %(found)s, not a whole number"))

#: Entries read at a time.
PAGE_ENTRIES = 1_000
#: A script reads the clock moments before its entry gets its time for an id.
CLOCK_SLACK = timedelta(milliseconds=100)


class MalformedEntry(ValueError):
    """An entry that can't be read: a field is missing or malformed, or its version is another."""


class ForgedEntry(ValueError):
    """An entry that no web process of this site caused."""


class AcceptedOrder(NamedTuple):
    """An accepted claim: `accepted_at` is Redis's time, `epoch` the load of the sale that accepted it.

    `is_signed` is False unless a web process of this site made the claim: then Redis's buyers decide.
    `piece` says which of the person's coupons of this sale it is.
    """

    order_id: int
    voucher_id: int
    user_id: int
    token: str
    accepted_at: datetime
    epoch: int
    is_signed: bool = True
    piece: int = 0

    @property
    def buyers_field(self) -> str:
        """Where the sale's buyers have the order."""
        return keys.buyers_field(self.user_id, self.piece)


def parse(fields: Mapping[str, str]) -> AcceptedOrder:
    """The accepted order of a stream entry; raises MalformedEntry with the reason."""
    if fields.get("v") != ENTRY_VERSION:
        raise MalformedEntry(OTHER_VERSION.fill(found=repr(fields.get("v")), expected=repr(ENTRY_VERSION)))
    if not REQUEST_TOKEN_PATTERN.fullmatch(fields.get("token", "")):
        raise MalformedEntry(WRONG_TOKEN.fill())
    order_id, voucher_id, user_id = (_parse_number(fields, name) for name in ("order", "voucher", "user"))
    # The first coupon's entry has none, as the release before wrote all.
    piece = _parse_number(fields, "piece") if "piece" in fields else 0
    if piece >= MAX_PER_PERSON:
        raise MalformedEntry(WRONG_PIECE.fill(piece=piece))
    return AcceptedOrder(
        order_id=order_id,
        voucher_id=voucher_id,
        user_id=user_id,
        token=fields["token"],
        accepted_at=datetime.fromtimestamp(_parse_number(fields, "at") / 1000, tz=UTC),
        epoch=_parse_number(fields, "epoch"),
        is_signed=receipts.is_signed_claim(voucher_id, user_id, fields["token"], fields.get("signature", "")),
        piece=piece,
    )


def _parse_number(fields: Mapping[str, str], name: str) -> int:
    text = fields.get(name, "")
    # str.isdigit() and int() take digits of every script; only ASCII ones are ours.
    if text.isascii() and text.isdigit() and len(text) <= 19 and (number := int(text)) <= MAX_BIGINT:
        return number
    raise MalformedEntry(NO_NUMBER.fill(name=name, found=f"{text!r:.40}"))


def iter_raw_entries(stream: str, *, start: str = "-") -> Iterator[tuple[str, dict[str, str]]]:
    """(entry id, fields) of the entries of a stream from the id `start` on, the oldest first."""
    while page := cast(
        list[tuple[str, dict[str, str]]], client.get().xrange(stream, min=start, count=PAGE_ENTRIES)
    ):
        yield from page
        start = f"({page[-1][0]}"


def iter_parsed(raw_entries: Iterable[tuple[str, dict[str, str]]]) -> Iterator[AcceptedOrder]:
    """The accepted orders among raw entries; malformed ones are left to the dead letters."""
    for _, fields in raw_entries:
        try:
            yield parse(fields)
        except MalformedEntry:
            continue


def iter_waiting_orders(stream: str) -> Iterator[AcceptedOrder]:
    """The accepted orders in a stream."""
    return iter_parsed(iter_raw_entries(stream))


def find_in_stream(stream: str, order_id: int, *, accepted_at: datetime) -> AcceptedOrder | None:
    """The order of that id, or None without an entry; reads from its time on, so that others cost little."""
    since = int((accepted_at - CLOCK_SLACK).timestamp() * 1000)
    orders = iter_parsed(iter_raw_entries(stream, start=f"{since}-0"))
    return next((order for order in orders if order.order_id == order_id), None)
