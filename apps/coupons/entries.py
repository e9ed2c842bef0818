"""An accepted order as it travels through the stream."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

#: A request token is the client's: short, and without the characters that part our values.
REQUEST_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: The version that this code writes; a later one it refuses rather than misreads.
VERSION = "1"


class Malformed(ValueError):
    """An entry that says no order: a field is missing, of the wrong kind or of a later version."""


@dataclass(frozen=True)
class Accepted:
    """Who was accepted for what, when by Redis's clock, and by which load of the sale."""

    order_id: int
    voucher_id: int
    user_id: int
    token: str
    accepted_at: datetime
    epoch: int


def parse(fields: Mapping[str, str]) -> Accepted:
    """The order that a stream entry carries, or Malformed with what is wrong."""
    if fields.get("v") != VERSION:
        raise Malformed(f"version {fields.get('v')!r} is not {VERSION!r}")
    if not REQUEST_TOKEN.fullmatch(fields.get("token", "")):
        raise Malformed("token is missing or has other characters than letters, digits, _ and -")
    number = {name: _number(fields, name) for name in ("order", "voucher", "user", "at", "epoch")}
    return Accepted(
        order_id=number["order"],
        voucher_id=number["voucher"],
        user_id=number["user"],
        token=fields["token"],
        accepted_at=datetime.fromtimestamp(number["at"] / 1000, tz=UTC),
        epoch=number["epoch"],
    )


def _number(fields: Mapping[str, str], name: str) -> int:
    text = fields.get(name, "")
    # str.isdigit() and int() take digits of every script; only ASCII ones are ours.
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) < 1 << 63):
        raise Malformed(f"{name} is {text!r:.40}, not a whole number")
    return int(text)
