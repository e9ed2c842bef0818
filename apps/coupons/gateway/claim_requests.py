"""Requests for a unit of a flash sale: what they ask, and which of them are plain enough for the gateway."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from apps.accounts.sessions import tokens
from apps.coupons.buyer import purchases
from apps.coupons.claims.entries import REQUEST_TOKEN_PATTERN
from apps.coupons.gateway.admission import ClaimRequest
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

#: Headers that are Django's business, or the server's.
DJANGO_HEADERS = frozenset(
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
_CLAIM_PATH = re.compile(r"/api/vouchers/([0-9]{1,19})/seckill")
#: A request's values by name, and in the bytes of a request that was read as a claim what stands before them.
_VALUE_PATTERNS = {
    "voucher": (rb"POST /api/vouchers/", rb"[0-9]{1,19}", rb"/seckill HTTP/1\.1\r\n"),
    "token": (rb"\r\nauthorization: bearer ", tokens.TOKEN_PATTERN.pattern.encode(), rb"\r\n"),
    "key": (rb"\r\nidempotency-key: ", REQUEST_TOKEN_PATTERN.pattern.encode(), rb"\r\n"),
}
_VALUE_FINDERS = {
    name: re.compile(b"%b(%b)(?=%b)" % parts, re.IGNORECASE) for name, parts in _VALUE_PATTERNS.items()
}
#: Paths and shapes that are kept: one for each sale that is asked for, one for each kind of client.
MAX_CACHED = 10_000


def plain_headers(given: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """The headers of a claim as programs make it; None for everything that is Django's."""
    headers = dict(given)
    if len(headers) != len(given):
        return None
    if DJANGO_HEADERS.isdisjoint(headers):
        return headers
    is_empty = DJANGO_HEADERS & headers.keys() == {b"content-length"} and headers[b"content-length"] == b"0"
    return headers if is_empty else None


@lru_cache(maxsize=MAX_CACHED)
def voucher_id_in(path: str) -> int:
    """The number in the path of a claim, 0 when it isn't one that a row can have or another path."""
    found = _CLAIM_PATH.fullmatch(path)
    number = int(found[1]) if found else 0
    return number if number <= MAX_ROW_ID else 0


def parse(voucher_id: int, headers: dict[bytes, bytes]) -> ClaimRequest:
    """Who asks for what; no digest when there is no token, no request token when it has other characters."""
    kind, _, raw = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    is_token = kind.lower() == "bearer" and tokens.has_token_shape(raw)
    given = headers.get(b"idempotency-key")
    try:
        request_token = purchases.parse_request_token(None if given is None else given.decode("latin-1"))
    except Problem:
        request_token = ""
    return (
        _build_request(raw, voucher_id, request_token)
        if is_token
        else ClaimRequest("", voucher_id, request_token)
    )


class RequestShape(NamedTuple):
    """A claim's bytes but for its values, by which the next one is known that differs in these only.

    Values hold no character that could part a request in another way, so the parser would read such a
    request as it read the first.
    """

    pattern: "re.Pattern[bytes]"
    has_key: bool

    def read(self, data: bytes) -> ClaimRequest | None:
        """The claim, None when it differs in more than its values."""
        found = self.pattern.fullmatch(data)
        voucher_id = _parse_voucher_id(found["voucher"]) if found else 0
        if found is None or not voucher_id:
            return None
        request_token = found["key"].decode() if self.has_key else purchases.parse_request_token(None)
        return _build_request(found["token"].decode(), voucher_id, request_token)


def _build_request(raw: str, voucher_id: int, request_token: str) -> ClaimRequest:
    return ClaimRequest(
        tokens.digest(raw), voucher_id, request_token, tokens.claimed_user_id(raw) if request_token else 0
    )


@lru_cache(maxsize=MAX_CACHED)
def _parse_voucher_id(digits: bytes) -> int:
    return voucher_id_in(f"/api/vouchers/{digits.decode()}/seckill")


def learn_shape(data: bytes) -> RequestShape | None:
    """The shape of one whole request that was read as a plain claim; None when its values aren't found."""
    places = {name: place.search(data) for name, place in _VALUE_FINDERS.items()}
    spans = sorted((found.span(1), name) for name, found in places.items() if found)
    names = [name for _, name in spans]
    if names[:1] != ["voucher"] or "token" not in names or data.find(b"\r\n\r\n") != len(data) - 4:
        return None
    ends = [0, *(end for (_, end), _ in spans)]
    literals = [data[end:start] for end, ((start, _), _) in zip(ends, spans, strict=False)]
    return RequestShape(
        _compile_shape(tuple(zip(literals, names, strict=True)), data[ends[-1] :]), "key" in names
    )


@lru_cache(maxsize=MAX_CACHED)
def _compile_shape(parts: tuple[tuple[bytes, str], ...], tail: bytes) -> "re.Pattern[bytes]":
    values = [
        b"%b(?P<%b>%b)" % (re.escape(literal), name.encode(), _VALUE_PATTERNS[name][1])
        for literal, name in parts
    ]
    return re.compile(b"".join(values) + re.escape(tail))
