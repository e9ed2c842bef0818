"""Who looks at an ad: a browser by its cookie, or a person's program by its token."""

from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.ads.serving import Viewer
from apps.uv import page_views, visitors
from apps.web import client_address


def identify(request: HttpRequest) -> Viewer:
    """The viewer of a request: the browser where there is one, so that a log-in changes nothing."""
    login = find_login(request)
    return Viewer(
        key=_key(request, login),
        user_id=login.user_id if login else None,
        is_bot=page_views.is_bot(request.headers.get("User-Agent", "")),
        is_staff=bool(login and auth.fetch_user(login).is_staff),
    )


def find_login(request: HttpRequest) -> Login | None:
    """The log-in of a bearer token or of a browser's cookie."""
    sent: Any = getattr(request, "auth", None)
    return sent if isinstance(sent, Login) else tokens.resolve(cookies.read_token(request))


def _key(request: HttpRequest, login: Login | None) -> str:
    if cookie := visitors.read_cookie(request):
        return visitors.digest(cookie)
    # A network's browsers without a cookie are one viewer: what was hidden for one of them is for all.
    return f"user-{login.user_id}" if login else visitors.digest(client_address.client_ip(request))
