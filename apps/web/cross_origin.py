"""Whether another site's page sent an unsafe request: the rule in place of CSRF tokens.

Browsers say where a request comes from, in Sec-Fetch-Site (to https and localhost) and in Origin; a page can
set neither. Source: Go 1.25's CrossOriginProtection, stricter for cookies as Rails 8.2 is.
"""

from collections.abc import Callable
from typing import Any

from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _

from apps.web import body_limits, request_origin
from apps.web.bearer import read_bearer
from apps.web.csp import ADMIN_ROOT
from apps.web.problems import error_pages
from apps.web.problems.problem import Problem

#: Sec-Fetch-Site of the site's own pages, and of what a person typed or opened from a bookmark.
OWN_FETCH_SITES = {"same-origin", "none"}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


def is_cross_origin(
    *, fetch_site: str | None, origin: str | None, own_origin: str, has_cookie: bool, has_bearer: bool
) -> bool:
    """Whether an unsafe request must be refused, since another site's page may have sent it.

    A page can't make a browser add a bearer token. Sec-Fetch-Site decides if present, else Origin, which
    must equal `own_origin` (request_origin.build_origin). A program sends neither; a cookie means a browser.
    """
    if has_bearer:
        return False
    if fetch_site:
        return fetch_site not in OWN_FETCH_SITES
    return origin != own_origin if origin else has_cookie


def is_api_origin(path: str, origin: str | None) -> bool:
    """Whether a request is about the API, from a page of settings.API_ORIGINS."""
    return origin in settings.API_ORIGINS and path.startswith(error_pages.API_ROOT)


class ApiOriginsMiddleware(CorsMiddleware):
    """Tells browsers which other sites' pages may read the API; only where API_ORIGINS names some.

    Cookies are not for them: the answer allows no credentials, and such a page brings a bearer token.
    """


def refusal() -> Problem:
    """The problem of a request that another site's page may have sent."""
    return Problem(403, "cross_origin", _("This came from another site. Open the page here and try again."))


class CrossOriginMiddleware(CsrfViewMiddleware):
    """Refuses unsafe requests that another site's page may have sent; the admin keeps Django's tokens."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(ADMIN_ROOT):
            super().process_request(request)

    def process_view(  # type: ignore[override]
        self, request: HttpRequest, callback: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if request.path_info.startswith(ADMIN_ROOT):
            if self._refuses_by_itself(request):
                # As Django's own does when it has found the token.
                request.csrf_processing_done = True  # type: ignore[attr-defined]
                return None
            return super().process_view(request, callback, args, kwargs)
        if request.method in SAFE_METHODS or not _is_cross_origin(request):
            return None
        # Without cookies it does nothing that a program could not.
        is_allowed = is_api_origin(request.path_info, request.META.get("HTTP_ORIGIN"))
        if is_allowed and not request.META.get("HTTP_COOKIE"):
            return None
        return error_pages.respond(request, refusal())

    @staticmethod
    def _refuses_by_itself(request: HttpRequest) -> bool:
        """Whether the admin's view decides who may send a request before it reads the body with the token.

        Only staff gets past its log-in, and an import begins with its file; with that the request comes
        once more, and its token is looked for (front.wsgi_bridge).
        """
        if body_limits.BODY_WAITS not in request.META:
            return False
        return not request.user.is_staff or body_limits.is_import(request.path_info)


def _is_cross_origin(request: HttpRequest) -> bool:
    meta = request.META
    return is_cross_origin(
        fetch_site=meta.get("HTTP_SEC_FETCH_SITE"),
        origin=meta.get("HTTP_ORIGIN"),
        own_origin=request_origin.build_origin(request.scheme or "", request.get_host()),
        has_cookie=bool(meta.get("HTTP_COOKIE")),
        # A browser adds Basic's credentials by itself.
        has_bearer=read_bearer(meta.get("HTTP_AUTHORIZATION", "")) is not None,
    )
