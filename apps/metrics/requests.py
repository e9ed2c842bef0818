"""Times requests by the name of their route, never by path: of Django's views, and of the event loop's own.

The name of an unnamed view is its function's. `render/…` is Django making a page for the event loop, which
then serves it to everybody: no request of anybody.
"""

import time
from collections.abc import Callable, Sequence

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from apps.front import observe
from apps.metrics import gathering

#: Requests that no view answered: static files, unknown paths, refusals by a middleware.
NO_ROUTE = "none"


class TimingMiddleware:
    """Times every request from outside all other middleware, and gathers the time in memory."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        name = route_name(request.resolver_match)
        if observe.INTERNAL in request.META:
            gathering.record(f"render/{name}", seconds)
        else:
            gathering.record(name, seconds, response.status_code)
        return response


def time_answers(answered: Sequence[observe.Answered]) -> None:
    """Gather the times of answers of the event loop (front.observe)."""
    gathering.record_many([(one.route, one.seconds, one.status) for one in answered if one.route])


def route_name(match: ResolverMatch | None) -> str:
    """The name of the route, such as "shops:detail"."""
    return match.view_name if match else NO_ROUTE
