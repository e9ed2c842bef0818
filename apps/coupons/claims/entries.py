"""Reads the order streams: an entry becomes the orders that one call has accepted.

claim.lua writes one entry a call, of version 2: what its orders share, and in `orders` a text for each,
"order:user:token:signature" or "order:user:token:signature:piece", joined by blanks. An entry of version 1 is
one order with fields of its own: a replayed dead letter, a part of an entry that was split, what the release
before wrote. `split` makes the former of the latter, so that there is one reader.
"""

import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
#: The version of entries of one order, and of those with all orders that one call accepted.
ENTRY_VERSION, PACKED_VERSION = "1", "2"
_SHARED_FIELDS = ("voucher", "at", "epoch")
_PART_FIELDS = ("order", "user", "token", "signature", "piece")
#: What an order has where an entry doesn't say it.
_MISSING = ("", "", "", "", "0")
#: The largest number of an SQL bigint.
MAX_BIGINT = (1 << 63) - 1

OTHER_VERSION = Template(gettext_noop("version %(found)s is not %(expected)s"))
WRONG_TOKEN = Template(gettext_noop("token is missing or has other characters than letters, digits, _ and -"))
WRONG_PIECE = Template(gettext_noop("piece is %(piece)s, and nobody may have so many"))
NOTHING_SIGNED = Template(gettext_noop("none of its orders is signed"))
NO_NUMBER = Template(gettext_noop("%(name)s is %(found)s, not a whole number"))

#: Entries read at a time, of up to 64 orders each.
PAGE_ENTRIES = 100
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


def count_orders(fields: Mapping[str, str]) -> int:
    """How many orders an entry says, readable or not; one at least."""
    return fields["orders"].count(" ") + 1 if _is_packed(fields) else 1


def list_numbers(fields: Mapping[str, str]) -> list[str]:
    """The order ids of an entry, as they are written there."""
    return [part[0] for part in _list_parts(fields)]


def split(fields: Mapping[str, str]) -> list[Mapping[str, str]]:
    """Each order of an entry as one of version 1 says it; an entry that can't be split is all there is."""
    if not _is_packed(fields):
        return [fields]
    shared = {"v": ENTRY_VERSION} | {name: fields[name] for name in _SHARED_FIELDS if name in fields}
    return [shared | dict(zip(_PART_FIELDS, part, strict=False)) for part in _list_parts(fields)]


def parse(fields: Mapping[str, str]) -> AcceptedOrder:
    """The accepted order of an entry of one; raises MalformedEntry with the reason."""
    one = parse_each(fields)[0]
    if isinstance(one, MalformedEntry):
        raise one
    return one


def parse_each(fields: Mapping[str, str]) -> list[AcceptedOrder | MalformedEntry]:
    """Of each order of an entry, in the order of `split`: the accepted order, or why it can't be read."""
    if fields.get("v") != ENTRY_VERSION and not _is_packed(fields):
        found = repr(fields.get("v"))
        return [MalformedEntry(OTHER_VERSION.fill(found=found, expected=repr(ENTRY_VERSION)))]
    parts = [_read_part(part) for part in _list_parts(fields)]
    try:
        voucher_id, at, epoch = (_parse_number(name, fields.get(name, "")) for name in _SHARED_FIELDS)
        accepted_at = _parse_moment(at)
    except MalformedEntry as error:
        return [part if isinstance(part, MalformedEntry) else error for part in parts]
    claims = [part[1:3] for part in parts if not isinstance(part, MalformedEntry)]
    expected = iter(receipts.sign_claims(voucher_id, claims))
    return [
        part
        if isinstance(part, MalformedEntry)
        else AcceptedOrder(
            part.order_id,
            voucher_id,
            part.user_id,
            part.token,
            accepted_at,
            epoch,
            _is_signed(voucher_id, part, next(expected)),
            part.piece,
        )
        for part in parts
    ]


class _Part(NamedTuple):
    """What an entry says of one order alone."""

    order_id: int
    user_id: int
    token: str
    signature: str
    piece: int


def _read_part(texts: Sequence[str]) -> _Part | MalformedEntry:
    order, user, token, signature, piece = (*texts, *_MISSING[len(texts) :])
    try:
        if not REQUEST_TOKEN_PATTERN.fullmatch(token):
            raise MalformedEntry(WRONG_TOKEN.fill())
        order_id, user_id = _parse_number("order", order), _parse_number("user", user)
        number = _parse_number("piece", piece)
        if number >= MAX_PER_PERSON:
            raise MalformedEntry(WRONG_PIECE.fill(piece=number))
    except MalformedEntry as error:
        return error
    return _Part(order_id, user_id, token, signature, number)


def _is_signed(voucher_id: int, part: _Part, expected: str) -> bool:
    """Whether a web process of this site made the claim: `expected` is what its key signs now."""
    # As bytes: compare_digest takes no text beyond ASCII.
    if hmac.compare_digest(expected.encode(), part.signature.encode()):
        return True
    return receipts.is_signed_claim(voucher_id, part.user_id, part.token, part.signature)


def _parse_number(name: str, text: str) -> int:
    # str.isdigit() and int() take digits of every script; only ASCII ones are ours.
    if text.isascii() and text.isdigit() and len(text) <= 19 and (number := int(text)) <= MAX_BIGINT:
        return number
    raise MalformedEntry(NO_NUMBER.fill(name=name, found=f"{text!r:.40}"))


def _parse_moment(unix_ms: int) -> datetime:
    try:
        return datetime.fromtimestamp(unix_ms / 1000, tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise MalformedEntry(NO_NUMBER.fill(name="at", found=str(unix_ms))) from None


def _is_packed(fields: Mapping[str, str]) -> bool:
    return fields.get("v") == PACKED_VERSION and "orders" in fields


def _list_parts(fields: Mapping[str, str]) -> list[list[str]]:
    """The texts of each order, as many of _PART_FIELDS as it has."""
    if _is_packed(fields):
        # What is too much stays in the last field, which is no number then.
        return [part.split(":", len(_PART_FIELDS) - 1) for part in fields["orders"].split(" ")]
    # The first coupon's entry has no piece.
    return [[fields.get(name, "") for name in _PART_FIELDS if name != "piece" or name in fields]]


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
        for one in parse_each(fields):
            if isinstance(one, AcceptedOrder):
                yield one


def iter_waiting_orders(stream: str) -> Iterator[AcceptedOrder]:
    """The accepted orders in a stream."""
    return iter_parsed(iter_raw_entries(stream))


def find_in_stream(stream: str, order_id: int, *, accepted_at: datetime) -> AcceptedOrder | None:
    """The order of that id, or None without an entry; reads from its time on, so that others cost little."""
    since = int((accepted_at - CLOCK_SLACK).timestamp() * 1000)
    orders = iter_parsed(iter_raw_entries(stream, start=f"{since}-0"))
    return next((order for order in orders if order.order_id == order_id), None)
