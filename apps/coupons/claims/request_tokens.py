"""Request tokens: a client's name for one request, so that sending it again can't buy twice."""

import uuid

from apps.coupons import refusals
from apps.coupons.claims.entries import REQUEST_TOKEN_PATTERN


def new() -> str:
    """A token for a request that brought none."""
    return uuid.uuid4().hex


def parse_or_new(given: str | None) -> str:
    """The client's token, or a new one for None; Problem 400 when it has other characters than it may."""
    if given is None:
        return new()
    if not REQUEST_TOKEN_PATTERN.fullmatch(given):
        raise refusals.bad_request_token()
    return given
