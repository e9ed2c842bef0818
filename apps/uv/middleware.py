"""Counts page views of responses."""

import logging
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.uv import counting, page_kinds, page_views, visitors

log = logging.getLogger(__name__)


class VisitMiddleware:
    """Counts page views after the page is built: no reader waits for it, and no page fails because of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        try:
            if page_views.is_page_view(request, response):
                counting.enqueue(build_view(request, response))
        except Exception:  # the page is made already: whatever fails here, it is served
            log.exception("a view of %s was not counted", request.path)
        return response


def build_view(request: HttpRequest, response: HttpResponseBase) -> counting.View:
    """The View of a page; gives the browser its cookie."""
    user = getattr(request, "user", None)
    return counting.View(
        scope=page_kinds.resolve_scope(request.resolver_match),
        visitor=visitors.digest(visitors.ensure_cookie(request, response)),
        user_id=user.pk if user is not None and user.is_authenticated else None,
    )
