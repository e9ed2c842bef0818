"""Identifies browsers by a random first-party cookie; Redis sees only a keyed hash of it.

The cookie is signed, with the second in which it was given: visitors can't be made up, and everybody's first
visit is known without being stored.
"""

import secrets
import time
from datetime import timedelta
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

from apps.front.documents import pages
from apps.uv import visitor_values

COOKIE_NAME = "savor_visitor"
COOKIE_MAX_AGE = timedelta(days=365)
_SAMPLE_VALUE = "-" * 22
_COOKIE_BYTES = 16


def read_cookie(request: HttpRequest) -> str:
    """The cookie that the browser sent, or ""; a value that this site never set counts as none."""
    return valid_value(request.COOKIES.get(COOKIE_NAME, ""))


def valid_value(value: str) -> str:
    """The value of a cookie, "" for one that this site never set."""
    return value if visitor_values.is_signed(value, settings.SECRET_KEY) else ""


def new_value(*, at: float | None = None) -> str:
    """The value for a browser that has no cookie; `at` is now, in seconds."""
    return visitor_values.build(secrets.token_urlsafe(_COOKIE_BYTES), int(time.time() if at is None else at))


def first_seen(value: str) -> int:
    """The second in which the browser was given this valid cookie."""
    found = visitor_values.PATTERN.fullmatch(value)
    assert found, "the caller has checked it"
    return int(found[2], 16)


def ensure_cookie(request: HttpRequest, response: HttpResponseBase) -> str:
    """The browser's cookie, set now if it has none; the response then becomes private."""
    cookie = read_cookie(request)
    if cookie:
        return cookie
    made = new_value()
    _set_cookie(response, made)
    pages.keep_from_proxies(response)
    return made


def set_cookie_header(value: str) -> bytes:
    """The value of a Set-Cookie header that gives a browser its cookie."""
    return _cookie_template(int(time.time())).replace(_SAMPLE_VALUE, value).encode()


@lru_cache(1)
def _cookie_template(second: int) -> str:
    """The header for a sample value; it holds the time at which the cookie expires."""
    response = HttpResponse()
    _set_cookie(response, _SAMPLE_VALUE)
    return response.cookies[COOKIE_NAME].OutputString()


def _set_cookie(response: HttpResponseBase, value: str) -> None:
    response.set_cookie(
        COOKIE_NAME,
        value,
        max_age=COOKIE_MAX_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def digest(cookie: str) -> str:
    """32 hexadecimal digits that tell visitors apart and can't be traced back; "" for no cookie."""
    return salted_hmac("apps.uv.visitors", cookie, algorithm="sha256").hexdigest()[:32] if cookie else ""
