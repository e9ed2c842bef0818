"""The click of an ad's link."""

import logging

from django.http import HttpRequest

from apps.ads import limits, serving
from apps.ads.display import viewers
from apps.redis_kit import client
from apps.uv import page_views
from apps.web.problems import Problem

log = logging.getLogger(__name__)


def record_click(request: HttpRequest, ticket: str) -> None:
    """Record a click; the link leads on even if that fails."""
    if request.method != "GET" or _is_prefetch(request):
        return
    try:
        viewer = viewers.identify(request)
        limits.charge(limits.EVENTS, viewer)
        serving.record_click(ticket, viewer)
    except (Problem, *client.UNAVAILABLE):
        log.warning("a click of an ad could not be counted")


def _is_prefetch(request: HttpRequest) -> bool:
    """Whether a browser loads the page ahead, in case somebody should follow the link."""
    purposes = (request.headers.get(name, "") for name in page_views.PREFETCH_HEADERS)
    return any(purpose.lower().startswith(("prefetch", "preview")) for purpose in purposes)
