"""Parses an entry of the order stream into an accepted order."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

#: A client's request token: short, and without the separators of our values.
REQUEST_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: The version of entries that this code writes and reads.
ENTRY_VERSION = "1"
#: The largest number of an SQL bigint.
MAX_BIGINT = (1 << 63) - 1


class MalformedEntry(ValueError):
    """An entry that can't be read: a field is missing or malformed, or its version is another."""


class AcceptedOrder(NamedTuple):
    """An accepted claim: `accepted_at` is Redis's time, `epoch` the load of the sale that accepted it."""

    order_id: int
    voucher_id: int
    user_id: int
    token: str
    accepted_at: datetime
    epoch: int


def parse(fields: Mapping[str, str]) -> AcceptedOrder:
    """The accepted order of a stream entry; raises MalformedEntry with the reason."""
    if fields.get("v") != ENTRY_VERSION:
        raise MalformedEntry(f"version {fields.get('v')!r} is not {ENTRY_VERSION!r}")
    if not REQUEST_TOKEN_PATTERN.fullmatch(fields.get("token", "")):
        raise MalformedEntry("token is missing or has other characters than letters, digits, _ and -")
    return AcceptedOrder(
        order_id=_parse_number(fields, "order"),
        voucher_id=_parse_number(fields, "voucher"),
        user_id=_parse_number(fields, "user"),
        token=fields["token"],
        accepted_at=datetime.fromtimestamp(_parse_number(fields, "at") / 1000, tz=UTC),
        epoch=_parse_number(fields, "epoch"),
    )


def _parse_number(fields: Mapping[str, str], name: str) -> int:
    text = fields.get(name, "")
    # str.isdigit() and int() take digits of every script; only ASCII ones are ours.
    if text.isascii() and text.isdigit() and len(text) <= 19 and (number := int(text)) <= MAX_BIGINT:
        return number
    raise MalformedEntry(f"{name} is {text!r:.40}, not a whole number")
