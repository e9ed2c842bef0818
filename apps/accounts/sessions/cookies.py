"""The cookie that carries a browser's token."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

TOKEN_COOKIE = "savor_token"  # noqa: S105 - a name, not a token


def read_token(request: HttpRequest) -> str:
    """The raw token that the browser sent, or ""."""
    return request.COOKIES.get(TOKEN_COOKIE, "")


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
