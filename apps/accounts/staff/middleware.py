"""Keeps managers without a second factor to the page where they set it up, where the site demands one."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from apps.accounts.middleware import ADMIN_ROOT
from apps.accounts.staff import second_factor


class SecondFactorMiddleware:
    """Redirects sessions of the admin that began without a second factor (STAFF_SECOND_FACTOR=1)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.STAFF_SECOND_FACTOR:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN_ROOT) or self._may_pass(request):
            return self.get_response(request)
        return redirect("admin_second_factor")

    def _may_pass(self, request: HttpRequest) -> bool:
        is_open = request.path_info in {
            *(reverse("admin:logout"), reverse("admin:login"), reverse("admin_second_factor")),
        }
        return is_open or not request.user.is_authenticated or second_factor.is_verified(request.session)
