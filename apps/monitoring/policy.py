"""The admin's own Content-Security-Policy: Alpine evaluates attributes, charts and widgets set styles."""

from collections.abc import Callable

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

#: Replaces these directives under /admin/ only; inline scripts stay forbidden there too.
ADMIN_DIRECTIVES = {
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
}


class AdminPolicyMiddleware:
    """Marks the admin's responses; every other page keeps the strict policy of the settings."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith(reverse("admin:index")):
            response._csp_replace = ADMIN_DIRECTIVES  # type: ignore[attr-defined]
        return response
