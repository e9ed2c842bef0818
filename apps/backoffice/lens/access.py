"""Who may use the lens, and the signed token by which a request asks for it.

Managers who may look at Redis may, and with DEMO=1 everybody. A browser holds the token in a cookie, a
program sends it in a header.
"""

import re
import secrets
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse

from apps.accounts.models import User
from apps.front.head_fields import find_cookie
from apps.front.lens import LENS_COOKIE, LENS_HEADER

MAX_AGE_SECONDS = 4 * 3600
#: Of who sees keys and commands of Redis, here as on the admin's page.
VIEW_PERMISSION = "monitoring.view_redis"
#: With DEMO=1 a program may send this instead of a token: it gets the headers, and no panel.
DEMO_TOKEN = "1"  # noqa: S105 - no password
_SALT = "backoffice.lens"
#: Requests that are not recorded: the panel's own, files, and streams that stay open.
_UNRECORDED_PATHS = re.compile(r"/(lens|static|media)/|/api/live$|/favicon\.ico$")
#: Sec-Fetch-Dest of what belongs to a page: drawn pictures would push the page out of the panel.
_UNRECORDED_USES = {"image", "font", "script", "style", "manifest"}


class LensSession(NamedTuple):
    """One browser with the lens on: who switched it on (0: a visitor), and its name in Redis."""

    user_id: int
    name: str

    @property
    def token(self) -> str:
        """What proves it for MAX_AGE_SECONDS."""
        return TimestampSigner(salt=_SALT).sign(f"{self.user_id}.{self.name}")


def may_switch_on(request: HttpRequest) -> bool:
    """Whether the person who sent this request may use the lens."""
    return bool(settings.DEMO or _may_see_redis(request.user))


def may_read(session: LensSession) -> bool:
    """Whether the person of a session may still read what was recorded: they may have lost the right."""
    if settings.DEMO:
        return True
    user = User.objects.filter(pk=session.user_id, is_active=True).first()
    return user is not None and _may_see_redis(user)


def new_session(request: HttpRequest) -> LensSession:
    """A session for the person who sent this request."""
    return LensSession(request.user.pk or 0, secrets.token_hex(16))


def is_recorded(path: str, fetch_dest: str) -> bool:
    """Whether a request with the lens on is recorded; `fetch_dest` is its Sec-Fetch-Dest or ""."""
    return not _UNRECORDED_PATHS.match(path) and fetch_dest not in _UNRECORDED_USES


def find_session(*, cookies: str, header: str) -> LensSession | None:
    """The session that a Cookie header or the lens's own header proves; None without a valid token."""
    token = header or find_cookie(cookies.encode("latin-1"), LENS_COOKIE.encode())
    if token == DEMO_TOKEN and settings.DEMO:
        return LensSession(0, "")
    return _read_token(token) if token else None


def read_session(request: HttpRequest) -> LensSession | None:
    """The session of a Django request, or None."""
    cookies = request.META.get("HTTP_COOKIE", "")
    header = request.META.get(f"HTTP_{LENS_HEADER.upper().replace('-', '_')}", "")
    return find_session(cookies=cookies, header=header) if header or LENS_COOKIE in cookies else None


def set_cookie(response: HttpResponse, session: LensSession) -> None:
    """Have the browser send the session's token with each request."""
    response.set_cookie(
        LENS_COOKIE,
        session.token,
        max_age=MAX_AGE_SECONDS,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )


def _may_see_redis(user: User | AnonymousUser) -> bool:
    # To be staff is no right by itself: an advertiser's account is staff too.
    return user.is_authenticated and user.is_staff and user.has_perm(VIEW_PERMISSION)


def _read_token(token: str) -> LensSession | None:
    try:
        signed = TimestampSigner(salt=_SALT).unsign(token, max_age=MAX_AGE_SECONDS)
    except BadSignature:
        return None
    user_id, _, name = signed.partition(".")
    is_allowed = settings.DEMO or int(user_id) > 0
    return LensSession(int(user_id), name) if is_allowed else None
