"""Finds the people behind many requests at once, for statistics."""

from collections.abc import Sequence

from django.db import close_old_connections
from django.http import parse_cookie

from apps.accounts.sessions import cookies, token_cache, tokens


def identify(cookie_headers: Sequence[str]) -> list[int | None]:
    """The user id behind each Cookie header, None for a visitor; raises client.UNAVAILABLE.

    For a thread outside of requests: closes a connection to SQL that has become too old.
    """
    sent = [
        cookies.only_log_in(parse_cookie(header).get(cookies.TOKEN_COOKIE, "")) for header in cookie_headers
    ]
    digests = [tokens.digest(raw) if tokens.has_token_shape(raw) else "" for raw in sent]
    known = list(dict.fromkeys(filter(None, digests)))
    try:
        copies = token_cache.find_many(known) if known else []
        logins = tokens.logins_from_copies(dict(zip(known, copies, strict=True)))
    finally:
        close_old_connections()
    found = [logins.get(digest) for digest in digests]
    return [login.user_id if login else None for login in found]
