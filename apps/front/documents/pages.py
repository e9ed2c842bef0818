"""Marks views whose page is the same for everybody, and keeps persons out of it.

    @require_safe
    @shared_page
    def sale(request, voucher_id): ...

The page of a plain GET is made from a request without person, cookies and session, whoever sent it. What is a
person's own comes from `GET /api/me/page`. Requests of htmx and those with a query string reach the view as
they are, unless the query only says by which link a person came (page_requests.has_only_marks).
"""

import copy
import functools
from collections.abc import Callable
from typing import Any, Never

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers

from apps.front.documents import page_requests, variants
from apps.web import client_address, htmx
from apps.web.problems import Problem

View = Callable[..., HttpResponse]
#: What tells a CDN (RFC 9213) and nginx that they may answer with a page for a second.
PROXY_HEADERS = {"CDN-Cache-Control": "max-age=1, stale-while-revalidate=59", "X-Accel-Expires": "1"}
#: Parts of `request.META` that tell who asks.
PERSONAL_VARIABLES = (
    *("HTTP_COOKIE", "HTTP_AUTHORIZATION", "CSRF_COOKIE"),
    *("REMOTE_ADDR", "HTTP_X_FORWARDED_FOR"),
)
_MARK, _SAME_REFUSAL_MARK = "is_shared_page", "has_same_refusal"


class NotShareable(AssertionError):
    """A shared page that contains something of one person; the text says what."""


def shared_page(view: View) -> View:
    """The view, marked; a plain GET gets the page that everybody gets.

    When that isn't 200 and a person is logged in, the view answers once more, to this person: a draft's
    author sees the draft.
    """

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_plain(request):
            return view(request, *args, **kwargs)
        refusal: Exception | None = None
        try:
            response = render_for_everybody(view, request, *args, **kwargs)
        except (Http404, PermissionDenied, Problem) as error:
            refusal = error
        else:
            if response.status_code == 200:
                return response
        if request.user.is_authenticated and not has_same_refusal(answer):
            return view(request, *args, **kwargs)
        if refusal:
            raise refusal
        return response

    setattr(answer, _MARK, True)
    return answer


def same_refusal(view: View) -> View:
    """A shared page's view, marked: what it doesn't show to everybody it shows to no person either.

    @same_refusal
    @shared_page
    def sale(request, voucher_id): ...
    """
    setattr(view, _SAME_REFUSAL_MARK, True)
    return view


def has_same_refusal(view: Callable[..., Any]) -> bool:
    """Whether a resolved view refuses everybody alike."""
    return getattr(view, _SAME_REFUSAL_MARK, False)


def is_shared_page(view: Callable[..., Any]) -> bool:
    """Whether a resolved view carries the mark."""
    return getattr(view, _MARK, False)


def is_shared_response(response: object) -> bool:
    """Whether a response is a page for everybody: it must be given no cookie and not be made private."""
    return getattr(response, _MARK, False)


def is_plain(request: HttpRequest) -> bool:
    """Whether a request asks for the page as everybody gets it, and no message waits for its browser."""
    is_read = request.method in ("GET", "HEAD")
    query = request.META.get("QUERY_STRING", "")
    is_chosen = not page_requests.has_only_marks(query) or CookieStorage.cookie_name in request.COOKIES
    return is_read and not is_chosen and not htmx.is_htmx(request)


def render_for_everybody(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """The view's answer to an anonymous request; if it is 200, checked and with a shared page's headers."""
    anonymous, is_located = _without_person(request)
    response = view(anonymous, *args, **kwargs)
    if response.status_code == 200:
        _refuse_personal_parts(anonymous, request, response)
        _set_cache_headers(response)
        if is_located:
            keep_from_proxies(response)
        setattr(response, _MARK, True)
    return response


def keep_from_proxies(response: HttpResponseBase) -> None:
    """Make a shared page's response one person's own, for the one that brings a cookie."""
    patch_cache_control(response, private=True)
    for name in PROXY_HEADERS:
        response.headers.pop(name, None)


class _NoSession:
    """Stands for the session of a shared page, which has none."""

    def _refuse(self, *_args: object) -> Never:
        raise NotShareable("the page uses the session")

    __getitem__ = __setitem__ = __delitem__ = __contains__ = __getattr__ = _refuse


def _without_person(request: HttpRequest) -> tuple[HttpRequest, bool]:
    """The request without its person, and whether the address chose the page's variant."""
    anonymous, is_located = copy.copy(request), False
    variables = {name: value for name, value in request.META.items() if name not in PERSONAL_VARIABLES}
    cookies = str(request.META.get("HTTP_COOKIE", "")).encode("latin-1", "replace")
    if variants.VARIABLE not in variables:
        located = None
        if by_address := variants.find_by_address(request.path, cookies):
            located = by_address.locate(client_address.client_ip(request))
        is_located = located is not None
        variables[variants.VARIABLE] = located or variants.find(request.path, cookies) or ""
    # Which link led here is one reader's too: the log-in link would carry it on.
    variables["QUERY_STRING"] = ""
    anonymous.META = variables
    for name in ("headers", "GET", "auth", "_messages", "_cached_user", "_acached_user"):
        anonymous.__dict__.pop(name, None)
    vars(anonymous).update(
        COOKIES={},
        environ=variables,
        session=_NoSession(),
        user=AnonymousUser(),
        _dont_enforce_csrf_checks=False,
    )
    return anonymous, is_located


def _refuse_personal_parts(anonymous: HttpRequest, request: HttpRequest, response: HttpResponse) -> None:
    """NotShareable for an answer that sets a cookie, or holds a CSRF token or a nonce."""
    if response.streaming or not getattr(response, "is_rendered", True):
        raise NotShareable("the page is not rendered yet")
    if response.cookies:
        raise NotShareable(f"the page sets a cookie: {', '.join(response.cookies)}")
    if "CSRF_COOKIE" in anonymous.META:
        raise NotShareable("the page contains a CSRF token")
    if getattr(anonymous, "_csp_nonce", None) or getattr(request, "_csp_nonce", None):
        raise NotShareable("the page contains a nonce")


def _set_cache_headers(response: HttpResponse) -> None:
    """Browsers ask each time, with the ETag; a cache in front of the site serves it for a second."""
    response.headers["Cache-Control"] = "no-cache"
    if settings.TRUSTED_PROXIES:
        for name, value in PROXY_HEADERS.items():
            response.headers[name] = value
    patch_vary_headers(response, ["Accept-Language", "Accept-Encoding"])
