"""Who looks at an ad: a browser by its cookie, or a person's program by its token."""

import time
from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.ads.viewer import Viewer
from apps.uv import page_views, visitors
from apps.web import client_address

#: A click of a browser that came so lately costs nothing: a script that collects cookies has to wait.
NEW_SECONDS = 10


def identify(request: HttpRequest) -> Viewer:
    """The viewer of a request: the browser where there is one, so that a log-in changes nothing."""
    login, ip = find_login(request), client_address.client_ip(request)
    return Viewer(
        key=_key(request, login, ip),
        ip=ip,
        is_new=_is_new(request, login),
        user_id=login.user_id if login else None,
        is_bot=page_views.is_bot(request.headers.get("User-Agent", "")),
        is_staff=bool(login and auth.fetch_user(login).is_staff),
    )


def find_login(request: HttpRequest) -> Login | None:
    """The log-in of a bearer token or of a browser's cookie."""
    sent: Any = getattr(request, "auth", None)
    return sent if isinstance(sent, Login) else tokens.resolve(cookies.read_token(request))


def _is_new(request: HttpRequest, login: Login | None) -> bool:
    """Whether the browser came seconds ago, or nobody can tell."""
    cookie = visitors.read_cookie(request)
    return time.time() - visitors.first_seen(cookie) < NEW_SECONDS if cookie else login is None


def _key(request: HttpRequest, login: Login | None, ip: str) -> str:
    if cookie := visitors.read_cookie(request):
        return visitors.digest(cookie)
    # A network's browsers without a cookie are one viewer: what was hidden for one of them is for all.
    return f"user-{login.user_id}" if login else visitors.digest(ip)
