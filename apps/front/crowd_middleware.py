"""Refuses requests for which the web process had no thread (front.page_threads), in the reader's language."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from apps.front.page_threads import CROWDED
from apps.web.problems import Problem, error_pages, translation

RETRY_SECONDS = 2


class CrowdMiddleware:
    """Answers as a page, or as problem+json under /api/, without asking a view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get(CROWDED)
        if status is None:
            return self.get_response(request)
        made = translation.from_status(status)
        too_often = _("You have done this too often. Please wait a while and try again.")
        detail = too_often if status == HTTPStatus.TOO_MANY_REQUESTS else made.detail
        return error_pages.respond(request, Problem(status, made.code, detail, retry_after=RETRY_SECONDS))
