"""An accepted order as it travels through the stream."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

#: A request token is the client's: short, and without the characters that part our values.
REQUEST_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: The version that this code writes; a later one it refuses rather than misreads.
ENTRY_VERSION = "1"
#: What SQL holds in a whole number.
MAX_BIGINT = (1 << 63) - 1


class MalformedEntry(ValueError):
    """An entry that says no order: a field is missing, of the wrong kind or of a later version."""


class AcceptedOrder(NamedTuple):
    """Who was accepted for what, when by Redis's clock, and by which load of the sale."""

    order_id: int
    voucher_id: int
    user_id: int
    token: str
    accepted_at: datetime
    epoch: int


def parse(fields: Mapping[str, str]) -> AcceptedOrder:
    """The order that a stream entry carries, or Malformed with what is wrong."""
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
