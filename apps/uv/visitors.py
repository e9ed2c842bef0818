"""Identifies browsers by a random first-party cookie; Redis sees only a keyed hash of it.

The cookie is signed, with the second in which it was given: nobody makes visitors up, and everybody's first
visit is known without being stored.
"""

import hmac
import re
import secrets
import time
from base64 import urlsafe_b64encode
from datetime import timedelta
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

from apps.front.documents import pages

COOKIE_NAME = "savor_visitor"
COOKIE_MAX_AGE = timedelta(days=365)
_SAMPLE_VALUE = "-" * 22
_COOKIE_BYTES = 16

#: 128 random bits, the second in hexadecimal, and 128 bits of an HMAC of both; URL-safe Base64.
PATTERN = re.compile(r"([\w-]{22}\.([0-9a-f]{8}))\.([\w-]{22})", re.ASCII)


def read_cookie(request: HttpRequest) -> str:
    """The cookie that the browser sent, or ""; a value that this site never set counts as none."""
    return valid_value(request.COOKIES.get(COOKIE_NAME, ""))


def valid_value(value: str) -> str:
    """The value of a cookie, "" for one that this site never set."""
    return value if is_signed(value, settings.SECRET_KEY) else ""


def new_value(*, at: float | None = None) -> str:
    """The value for a browser that has no cookie; `at` is now, in seconds."""
    return build(secrets.token_urlsafe(_COOKIE_BYTES), int(time.time() if at is None else at))


def first_seen(value: str) -> int:
    """The second in which the browser was given this valid cookie."""
    found = PATTERN.fullmatch(value)
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


def build(random_part: str, second: int) -> str:
    """The value with these 22 characters, as given to a browser in this second."""
    signed = f"{random_part}.{second:08x}"
    return f"{signed}.{_sign(signed, settings.SECRET_KEY)}"


# The same few thousand browsers come again.
@lru_cache(10_000)
def is_signed(value: str, key: str) -> bool:
    """Whether a site with this key has set the value."""
    found = PATTERN.fullmatch(value)
    return found is not None and hmac.compare_digest(_sign(found[1], key), found[3])


def _sign(text: str, key: str) -> str:
    mac = hmac.digest(key.encode(), f"apps.uv.visitors.cookie:{text}".encode(), "sha256")
    return urlsafe_b64encode(mac[:16]).decode().rstrip("=")
