"""Reads a claim out of an HTTP request, in the shapes that honest clients send.

A claim brings a bearer token or the browser's cookie, and no body, `{}`, or a request token as JSON or as a
form. Any other request is left to Django's view, which knows every shape and answers alike: None says so.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from os import urandom
from typing import NamedTuple

from django.conf import settings

from apps.accounts.sessions import cookies, scopes, tokens
from apps.accounts.sessions.scopes import Scope
from apps.coupons.claims.entries import REQUEST_TOKEN_PATTERN
from apps.coupons.gateway import claim_answers
from apps.coupons.gateway.claim_answers import VARIANT_HEADERS, Claim, RequestVariant
from apps.front.head_fields import find_cookie
from apps.front.language import choose_language
from apps.front.route import Message
from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache
from apps.web.problems.ids import MAX_ROW_ID

#: What is longer is left to Django, and keeps what is cached by it small.
MAX_PATH_BYTES, MAX_HEAD_BYTES = 64, 8 * 1024
#: Bytes of the headers that an answer depends on: answers are kept by them.
MAX_VARIANT_BYTES = 1_024
#: Paths kept with their voucher ids, two for each sale that is claimed from, and spellings of content types.
MAX_CACHED_PATHS, MAX_CACHED_TYPES = 10_000, 100
_PATH = re.compile(rb"/(?:api/vouchers/([0-9]{1,19})/seckill|vouchers/([1-9][0-9]{0,18})/grab/)")
_TOKEN = REQUEST_TOKEN_PATTERN.pattern.encode()
_REQUEST_TOKEN = re.compile(_TOKEN)
_NO_BODY, _FORM_BODY = re.compile(b""), re.compile(rb"(?:request_token=(%b))?" % _TOKEN)
_JSON_BODY = re.compile(
    rb'(?:\s*\{\s*(?:"request_token"\s*:\s*"(%b)"\s*)?\}\s*)?'.replace(rb"\s", b"[ \t\r\n]") % _TOKEN
)
#: What a body of each content type may be, in small letters and without spaces. A text is sent empty.
_BODIES = {
    b"": _NO_BODY,
    b"text/plain;charset=utf-8": _NO_BODY,
    b"application/json": _JSON_BODY,
    b"application/json;charset=utf-8": _JSON_BODY,
    b"application/x-www-form-urlencoded": _FORM_BODY,
    b"application/x-www-form-urlencoded;charset=utf-8": _FORM_BODY,
}
_TOKEN_COOKIE, _LANGUAGE_COOKIE = cookies.TOKEN_COOKIE.encode(), settings.LANGUAGE_COOKIE_NAME.encode()
_LANGUAGE_PLACE = list(VARIANT_HEADERS).index(b"accept-language")
#: Stands for any log-in in the headers that an answer depends on.
_KEPT_TOKEN = b"%b=x" % _TOKEN_COOKIE
#: Says of a variant that it is the page's form; the cache of variants weighs texts.
_FORM = b"form"
#: "bearer " is all that the middleware reads of an Authorization header.
BEARER_LENGTH = 7


class Target(NamedTuple):
    """The sale that the path of a claim names, and whether it is the page's form."""

    voucher_id: int
    is_form: bool


@lru_cache(maxsize=MAX_CACHED_PATHS)
def _find_target(path: bytes) -> Target | None:
    """The target of a claim's path; None for another path, or a number that no row can have."""
    match = _PATH.fullmatch(path)
    number = int(match[1] or match[2]) if match else 0
    return Target(number, is_form=bool(match and match[2])) if 0 < number <= MAX_ROW_ID else None


def read(message: Message) -> Claim | None:
    """The claim of a POST; None for another path, a header or a body that is odd, and what Django refuses.

    Nothing is bought before a request has passed Django's middleware.
    """
    path, headers = message.target, message.fields
    target = _find_target(path) if len(path) <= MAX_PATH_BYTES else None
    if target is None or b"host" not in headers or b"content-encoding" in headers:
        return None
    if len(b"".join(headers.values())) > MAX_HEAD_BYTES:
        return None
    voucher_id, is_form = target
    authorization, cookie = headers.get(b"authorization"), headers.get(b"cookie", b"")
    request_token = _read_request_token(headers, message.body, is_form=is_form)
    # Django refuses a cookie that spells NUL as \000.
    if request_token is None or authorization and is_form or b"\\" in cookie:
        return None
    raw = tokens.find_sent(headers) or ""
    has_cookie = bool(cookie and find_cookie(cookie, _TOKEN_COOKIE) if authorization else raw)
    # Of other cookies the language's alone changes an answer: it is in the language that is chosen here.
    kept_cookies = (_KEPT_TOKEN if has_cookie else b"x=x") if cookie else None
    user_id = tokens.claimed_user_id(raw)
    # An older log-in names nobody.
    if user_id == 0:
        return None
    if user_id and raw.startswith(scopes.PREFIX) and Scope.ORDERS not in scopes.find(raw):
        return None
    variant = _find_variant(
        _FORM if is_form else b"",
        message.scheme,
        kept_cookies,
        authorization and authorization[:BEARER_LENGTH],
        find_cookie(cookie, _LANGUAGE_COOKIE) if cookie else "",
        *map(headers.get, VARIANT_HEADERS),
    )
    if variant is None:
        return None
    return Claim(tokens.digest(raw) if user_id else "", voucher_id, request_token, user_id or 0, variant)


@short_cache(MAX_CACHED_HEADERS)
def _find_variant(
    form: bytes,
    scheme: str,
    cookies: bytes | None,
    bearer: bytes | None,
    language_cookie: str,
    *sent: bytes | None,
) -> RequestVariant | None:
    """The variant of a request by its headers as they were sent; None for one that is left to Django."""
    values = list(sent)
    # Browsers list languages in hundreds of ways, and each new variant passes Django's middleware.
    values[_LANGUAGE_PLACE] = choose_language(language_cookie, values[_LANGUAGE_PLACE] or b"").encode()
    if sum(map(len, filter(None, values))) > MAX_VARIANT_BYTES:
        return None
    return claim_answers.variant_for(bool(form), scheme, cookies, bearer, *values)


def _read_request_token(headers: Mapping[bytes, bytes], body: bytes, *, is_form: bool) -> str | None:
    """The header's token, else the body's, else a new one; None for a body or a token that Django refuses."""
    pattern = _body_pattern(headers.get(b"content-type", b""))
    match = pattern.fullmatch(body) if pattern else None
    if match is None or is_form and body and pattern is not _FORM_BODY:
        return None
    header = headers.get(b"idempotency-key")
    if header is None:
        return match[1].decode() if match.lastindex else urandom(16).hex()
    return header.decode() if _REQUEST_TOKEN.fullmatch(header) else None


@lru_cache(maxsize=MAX_CACHED_TYPES)
def _body_pattern(content_type: bytes) -> re.Pattern[bytes] | None:
    return _BODIES.get(content_type.lower().replace(b" ", b""))
