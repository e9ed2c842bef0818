"""Lets sessions of the admin in only while accounts.second_factor finds their second factor proven."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from apps.accounts import redirects, second_factor
from apps.accounts.middleware import ADMIN_ROOT
from apps.web import htmx


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
