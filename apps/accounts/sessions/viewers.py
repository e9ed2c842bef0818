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
        logins = [tokens.login_from_copy(copy, digest) for copy, digest in zip(copies, known, strict=True)]
    finally:
        close_old_connections()
    user_ids = {digest: login.user_id for digest, login in zip(known, logins, strict=True) if login}
    return [user_ids.get(digest) for digest in digests]
