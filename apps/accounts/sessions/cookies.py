"""The cookie that carries a browser's token."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.accounts.sessions import scopes

#: A cookie under the other name comes from a subdomain, or the time before https, and is not read.
TOKEN_COOKIE = f"{settings.HOST_COOKIE_PREFIX}savor_token"


def read_token(request: HttpRequest) -> str:
    """The raw token that the browser sent, or ""."""
    return only_log_in(request.COOKIES.get(TOKEN_COOKIE, ""))


def only_log_in(raw: str) -> str:
    """The raw token of a cookie; "" for a program's: pages know no scopes."""
    return "" if raw.startswith(scopes.PREFIX) else raw


def write_token(response: HttpResponse, token: str) -> None:
    """Set the token cookie: unreadable for scripts, not sent with other sites' forms."""
    response.set_cookie(
        TOKEN_COOKIE,
        token,
        max_age=settings.TOKEN_TTL,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )


def clear_token(response: HttpResponse) -> None:
    response.delete_cookie(TOKEN_COOKIE, samesite="Lax")
