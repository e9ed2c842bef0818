"""The signed cookie in which pages keep the request of a log-in code, until the code is typed."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

NAME = f"{settings.HOST_COOKIE_PREFIX}savor_code"
_SALT = "accounts.code-request"


def write(response: HttpResponse, request_id: str) -> None:
    """Have the browser keep the request for as long as its code is good."""
    response.set_signed_cookie(
        NAME,
        request_id,
        salt=_SALT,
        max_age=settings.LOGIN_CODE_TTL,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )


def read(request: HttpRequest) -> str:
    """The request that the browser keeps; "" without one, or one that is forged or too old."""
    return request.get_signed_cookie(NAME, "", salt=_SALT, max_age=settings.LOGIN_CODE_TTL) or ""
