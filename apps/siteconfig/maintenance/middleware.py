"""Refuses requests to Django while the site is closed."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.front.documents import pages
from apps.front.wsgi_bridge import ADMITTED
from apps.siteconfig import site_state
from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance.switch import switch
from apps.web.problems import error_pages


class MaintenanceMiddleware:
    """503 while the site is closed, as page or problem+json; it comes after the rules on host and scheme.

    A request of the event loop's own says in its environment that the gate has let it in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        site_state.poller.ensure_read()
        closed = switch.closed
        if closed is None or ADMITTED in request.META:
            return self.get_response(request)
        if passes.OPEN_PATH.fullmatch(request.path_info):
            return self.get_response(request)
        if found := passes.find_pass(request.META.get("HTTP_COOKIE", ""), closed):
            return self._respond_to_pass(request, found)
        response = error_pages.respond(request, closed.as_problem())
        response["Cache-Control"] = "no-store"
        # Django would log each of them as an error.
        setattr(response, "_has_been_logged", True)  # noqa: B010 - HttpResponse has no such name
        return response

    def _respond_to_pass(self, request: HttpRequest, found: passes.Pass) -> HttpResponseBase:
        """The site's own answer, whose pages say that it is closed: kept by no proxy and no browser."""
        setattr(request, "closed_site", found)  # noqa: B010 - HttpRequest has no such name
        response = self.get_response(request)
        pages.keep_from_proxies(response)
        response["Cache-Control"] = "no-store"
        return response
