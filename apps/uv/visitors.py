"""Identifies browsers by a random first-party cookie; Redis sees only a keyed hash of it."""

import re
import secrets
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.crypto import salted_hmac

COOKIE_NAME = "savor_visitor"
COOKIE_MAX_AGE = timedelta(days=365)
#: 128 random bits in URL-safe Base64.
_COOKIE_BYTES, _COOKIE_PATTERN = 16, re.compile(r"[\w-]{22}", re.ASCII)


def read_cookie(request: HttpRequest) -> str:
    """The cookie that the browser sent, or ""; a value that this site never set counts as none."""
    held = request.COOKIES.get(COOKIE_NAME, "")
    return held if _COOKIE_PATTERN.fullmatch(held) else ""


def ensure_cookie(request: HttpRequest, response: HttpResponseBase) -> str:
    """The browser's cookie, set now if it has none; the response then becomes private."""
    held = read_cookie(request)
    if held:
        return held
    made = secrets.token_urlsafe(_COOKIE_BYTES)
    response.set_cookie(
        COOKIE_NAME,
        made,
        max_age=COOKIE_MAX_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    patch_cache_control(response, private=True)
    return made


def digest(cookie: str) -> str:
    """32 hexadecimal digits that tell visitors apart and can't be traced back; "" for no cookie."""
    return salted_hmac("apps.uv.visitors", cookie, algorithm="sha256").hexdigest()[:32] if cookie else ""
