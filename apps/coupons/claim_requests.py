"""Requests for a unit of a flash sale: what they ask, and which of them are plain enough for the gateway."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from apps.accounts import tokens
from apps.coupons import purchases
from apps.coupons.admission import Ask
from apps.coupons.entries import REQUEST_TOKEN
from apps.problems import Problem
from apps.problems.ids import LARGEST

#: Headers that are Django's business, or the server's.
UNUSUAL = frozenset(
    {
        b"cookie",
        b"transfer-encoding",
        b"content-encoding",
        b"content-type",
        b"content-length",
        b"origin",
        b"upgrade",
    }
)
_PATH = re.compile(r"/api/vouchers/([0-9]{1,19})/seckill")
#: A request's values by name, and in the bytes of a request that was read as a claim what stands before them.
_VALUES = {
    "voucher": (rb"POST /api/vouchers/", rb"[0-9]{1,19}", rb"/seckill HTTP/1\.1\r\n"),
    "token": (rb"\r\nauthorization: bearer ", tokens.SHAPE.pattern.encode(), rb"\r\n"),
    "key": (rb"\r\nidempotency-key: ", REQUEST_TOKEN.pattern.encode(), rb"\r\n"),
}
_PLACES = {name: re.compile(b"%b(%b)(?=%b)" % parts, re.IGNORECASE) for name, parts in _VALUES.items()}
#: Paths and shapes that are kept: one for each sale that is asked for, one for each kind of client.
KEPT = 10_000


def plain(given: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """The headers of a claim as programs make it; None for everything that is Django's."""
    headers = dict(given)
    if len(headers) != len(given):
        return None
    if UNUSUAL.isdisjoint(headers):
        return headers
    is_empty = UNUSUAL & headers.keys() == {b"content-length"} and headers[b"content-length"] == b"0"
    return headers if is_empty else None


@lru_cache(maxsize=KEPT)
def voucher_in(path: str) -> int:
    """The number in the path of a claim, 0 when it isn't one that a row can have or another path."""
    found = _PATH.fullmatch(path)
    number = int(found[1]) if found else 0
    return number if number <= LARGEST else 0


def asked(voucher_id: int, headers: dict[bytes, bytes]) -> Ask:
    """Who asks for what; no digest when there is no token, no request token when it has other characters."""
    kind, _, raw = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    is_token = kind.lower() == "bearer" and tokens.is_shaped(raw)
    given = headers.get(b"idempotency-key")
    try:
        request_token = purchases.request_token(None if given is None else given.decode("latin-1"))
    except Problem:
        request_token = ""
    return _ask(raw, voucher_id, request_token) if is_token else Ask("", voucher_id, request_token)


class Shape(NamedTuple):
    """A claim's bytes but for its values, by which the next one is known that differs in these only.

    Values hold no character that could part a request in another way, so the parser would read such a
    request as it read the first.
    """

    pattern: "re.Pattern[bytes]"
    has_key: bool

    def read(self, data: bytes) -> Ask | None:
        """The claim, None when it differs in more than its values."""
        found = self.pattern.fullmatch(data)
        voucher_id = _number(found["voucher"]) if found else 0
        if found is None or not voucher_id:
            return None
        request_token = found["key"].decode() if self.has_key else purchases.request_token(None)
        return _ask(found["token"].decode(), voucher_id, request_token)


def _ask(raw: str, voucher_id: int, request_token: str) -> Ask:
    return Ask(tokens.digest(raw), voucher_id, request_token, tokens.named(raw) if request_token else 0)


@lru_cache(maxsize=KEPT)
def _number(digits: bytes) -> int:
    return voucher_in(f"/api/vouchers/{digits.decode()}/seckill")


def shape_of(data: bytes) -> Shape | None:
    """The shape of one whole request that was read as a plain claim; None when its values aren't found."""
    places = {name: place.search(data) for name, place in _PLACES.items()}
    spans = sorted((found.span(1), name) for name, found in places.items() if found)
    names = [name for _, name in spans]
    if names[:1] != ["voucher"] or "token" not in names or data.find(b"\r\n\r\n") != len(data) - 4:
        return None
    ends = [0, *(end for (_, end), _ in spans)]
    literals = [data[end:start] for end, ((start, _), _) in zip(ends, spans, strict=False)]
    return Shape(_compiled(tuple(zip(literals, names, strict=True)), data[ends[-1] :]), "key" in names)


@lru_cache(maxsize=KEPT)
def _compiled(parts: tuple[tuple[bytes, str], ...], tail: bytes) -> "re.Pattern[bytes]":
    values = [
        b"%b(?P<%b>%b)" % (re.escape(literal), name.encode(), _VALUES[name][1]) for literal, name in parts
    ]
    return re.compile(b"".join(values) + re.escape(tail))
