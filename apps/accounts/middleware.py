"""Log-ins of pages: the token cookie becomes request.user; a missing second factor is asked for."""

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, HttpResponseRedirectBase
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.functional import SimpleLazyObject

from apps.accounts import auth, pending_actions, redirects, second_factor
from apps.accounts.models import User
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.scopes import Scope
from apps.front.documents.pages import is_shared_response
from apps.web import htmx
from apps.web.problems import Problem

#: The admin keeps Django's sessions with phone and password: a browser's token must not open it.
ADMIN_ROOT = "/admin/"
API_ROOT = "/api/"
#: How somebody without a permission is answered.
DENIALS = {403, 404}


class TokenMiddleware:
    """Sets request.user of pages from the token cookie, lazily: reading it is a round trip and a query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(ADMIN_ROOT):
            return self.get_response(request)
        request.user = AnonymousUser()
        if request.path_info.startswith(API_ROOT):
            return with_second_factor(request, self.get_response(request))
        token = cookies.read_token(request)
        if token:
            request.user = SimpleLazyObject(partial(user_for_token, request, token))  # type: ignore[assignment]
        response = with_second_factor(request, self.get_response(request))
        response = with_login_redirect(request, mark_private(response, personal=bool(token)))
        return pending_actions.keep(request, response)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A redirect to the log-in for a page that needs a user; None for the API, which answers 401."""
        wants_login = isinstance(error, Problem) and error.status == 401
        if not wants_login or request.path_info.startswith(API_ROOT):
            return None
        return redirect(redirects.login_url(request))


def user_for_token(request: HttpRequest, token: str) -> User | AnonymousUser:
    """The user of a browser's token; request.auth becomes the Login, as in the API."""
    login = tokens.resolve(token)
    request.auth = login  # type: ignore[attr-defined]
    if login is None:
        return AnonymousUser()
    check = request.permission_check = auth.check_permissions(login)  # type: ignore[attr-defined]
    try:
        return auth.fetch_user(login, check)
    except Problem:
        return AnonymousUser()


def with_second_factor(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response; a refusal for want of the second factor says so (API), or leads to its page."""
    check: second_factor.PermissionCheck | None = getattr(request, "permission_check", None)
    if response.status_code not in DENIALS or check is None or not check.has_denied:
        return response
    if check.lacks_scope:
        return auth.missing_scope(Scope.OPERATIONS).as_json()
    user = auth.require_user(request)
    if request.path_info.startswith(API_ROOT):
        return second_factor.required(user).as_json()
    url = reverse("accounts:second_factor", query={"next": redirects.current_page(request)})
    return HttpResponse(headers={"HX-Redirect": url}) if htmx.is_htmx(request) else redirect(url)


def mark_private(response: HttpResponseBase, *, personal: bool) -> HttpResponseBase:
    """Keep proxies and the back button from showing one person's page to others; a shared page may be."""
    if is_shared_response(response):
        return response
    patch_vary_headers(response, ["Cookie"])
    if personal and not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
    return response


def with_login_redirect(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response; a redirect to the log-in becomes one that htmx and forms can follow and return from."""
    if not isinstance(response, HttpResponseRedirectBase):
        return response
    if response.url.partition("?")[0] != resolve_url(settings.LOGIN_URL):
        return response
    if htmx.is_htmx(request):
        return HttpResponse(headers={"HX-Redirect": redirects.login_url(request)})
    # A 303 was made for its form, and names the page to come back to.
    is_final = request.method == "GET" or response.status_code == 303
    return response if is_final else redirect(redirects.login_url(request))


class SecondFactorMiddleware:
    """Redirects sessions of the admin that have to give a code, or to set a second factor up, to its page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN_ROOT):
            return self.get_response(request)
        if not self._may_pass(request):
            return _redirect_to_page(request)
        response = self.get_response(request)
        _keep_proof_of_log_in(request)
        return response

    def _may_pass(self, request: HttpRequest) -> bool:
        user = request.user
        if not user.is_authenticated:
            return True
        check = second_factor.PermissionCheck(partial(second_factor.permits_session, session=request.session))
        # The open pages too: they show the admin's menu.
        user.permission_check = check
        return request.path_info in _open_paths() or check(user)


def _open_paths() -> set[str]:
    names = ("admin:logout", "admin:login", "admin_second_factor", "admin_prove_second_factor")
    return {reverse(name) for name in names}


def _redirect_to_page(request: HttpRequest) -> HttpResponse:
    url = reverse("admin_second_factor", query={"next": redirects.current_page(request)})
    return HttpResponse(headers={"HX-Redirect": url}) if htmx.is_htmx(request) else redirect(url)


def _keep_proof_of_log_in(request: HttpRequest) -> None:
    """Note the code in the session of a log-in that this request was."""
    device_id = second_factor.proven_device_id(request.user)
    if device_id:
        second_factor.keep_proof(request.session, device_id)
