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
#: Where the values stand in the bytes of a request that was read as a claim.
_VOUCHER = re.compile(rb"POST /api/vouchers/([0-9]{1,19})(?=/seckill HTTP/1\.1\r\n)")
_TOKEN = re.compile(rb"\r\nauthorization: bearer ([A-Za-z0-9_-]{43})(?=\r\n)", re.IGNORECASE)
_KEY = re.compile(rb"\r\nidempotency-key: ([A-Za-z0-9_-]{1,64})(?=\r\n)", re.IGNORECASE)
#: Paths that are kept: one for each sale that is asked for.
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
    return Ask(tokens.digest(raw) if is_token else "", voucher_id, request_token)


class Shape(NamedTuple):
    """The bytes of a claim around its values, by which the next one is known that differs in values only.

    Values hold no character that could part a request in another way, so the parser would read such a
    request as it read the first.
    """

    #: What stands before each value, and the byte that ends it.
    parts: tuple[tuple[bytes, bytes], ...]
    tail: bytes
    #: Places of the token and of the key among the values; a claim without a key has 0 there.
    token: int
    key: int

    def read(self, data: bytes) -> Ask | None:
        """The claim, None when it differs in more than its values."""
        at, values = 0, []
        for literal, end in self.parts:
            if not data.startswith(literal, at):
                return None
            start = at + len(literal)
            at = data.find(end, start)
            values.append(data[start:at])
        if at < 0 or data[at:] != self.tail:
            return None
        voucher_id, token = _number(values[0]), values[self.token].decode("latin-1")
        key = values[self.key].decode("latin-1") if self.key else purchases.request_token(None)
        if voucher_id and tokens.is_shaped(token) and REQUEST_TOKEN.fullmatch(key):
            return Ask(tokens.digest(token), voucher_id, key)
        return None


@lru_cache(maxsize=KEPT)
def _number(digits: bytes) -> int:
    return voucher_in(f"/api/vouchers/{digits.decode('latin-1')}/seckill")


def shape_of(data: bytes) -> Shape | None:
    """The shape of one whole request that was read as a plain claim; None when its values aren't found."""
    voucher, token, key = _VOUCHER.match(data), _TOKEN.search(data), _KEY.search(data)
    if voucher is None or token is None or data.find(b"\r\n\r\n") != len(data) - 4:
        return None
    spans = sorted(found.span(1) for found in (voucher, token, key) if found)
    starts = [0, *(end for _, end in spans)]
    parts = tuple(
        (data[begin:start], data[end : end + 1]) for begin, (start, end) in zip(starts, spans, strict=False)
    )
    return Shape(
        parts, data[starts[-1] :], spans.index(token.span(1)), spans.index(key.span(1)) if key else 0
    )
