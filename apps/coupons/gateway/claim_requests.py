"""Parses a claim from an HTTP request, and recognises the requests that Django has to answer."""

import re
from collections.abc import Sequence
from functools import lru_cache

from apps.accounts.sessions import tokens
from apps.coupons.claims import request_tokens
from apps.coupons.gateway.admission import ClaimRequest
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

#: A request with one of these headers goes to Django: the gateway reads no cookie, no body and no upgrade.
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
#: Paths kept with their voucher ids: one for each sale that is claimed from.
MAX_CACHED_PATHS = 10_000


def plain_headers(given: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """The headers by name; None when Django has to answer: one comes twice, or is among DJANGO_HEADERS.

    `content-length: 0` alone passes: many clients send it with an empty body.
    """
    headers = dict(given)
    if len(headers) != len(given):
        return None
    if DJANGO_HEADERS.isdisjoint(headers):
        return headers
    is_empty = DJANGO_HEADERS & headers.keys() == {b"content-length"} and headers[b"content-length"] == b"0"
    return headers if is_empty else None


@lru_cache(maxsize=MAX_CACHED_PATHS)
def voucher_id_in(path: str) -> int:
    """The voucher id in the path of a claim; 0 for another path, or a number that no row can have."""
    match = _CLAIM_PATH.fullmatch(path)
    number = int(match[1]) if match else 0
    return number if number <= MAX_ROW_ID else 0


def parse(voucher_id: int, headers: dict[bytes, bytes]) -> ClaimRequest:
    """The claim of a plain request.

    Its digest is empty without a well-formed bearer token; its request token is empty when the client's has
    other characters than a request token may have.
    """
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    given = headers.get(b"idempotency-key")
    try:
        request_token = request_tokens.parse_or_new(None if given is None else given.decode("latin-1"))
    except Problem:
        request_token = ""
    if scheme.lower() != "bearer" or not tokens.has_token_shape(token):
        return ClaimRequest("", voucher_id, request_token)
    token_user_id = tokens.claimed_user_id(token) if request_token else 0
    return ClaimRequest(tokens.digest(token), voucher_id, request_token, token_user_id)
