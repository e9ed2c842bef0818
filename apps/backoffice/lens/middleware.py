"""Records requests of people who use the lens, and puts the panel on their pages."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from apps.backoffice.lens import access, store
from apps.backoffice.lens.recording import Recording
from apps.front.documents import pages

_BODY_END = b"</body>"


class LensMiddleware:
    """Costs a request without a token one look at its headers.

    It is inside compression, since it adds to pages, and outside of all that asks Redis and SQL.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        session = access.read_session(request)
        fetch_dest = request.META.get("HTTP_SEC_FETCH_DEST", "")
        if session is None or not access.is_recorded(request.path_info, fetch_dest):
            return self.get_response(request)
        recording = Recording(request.method or "", request.path_info)
        with recording.running():
            response = self._answer(request, recording)
        store.keep(session, recording)
        return response

    def _answer(self, request: HttpRequest, recording: Recording) -> HttpResponseBase:
        with recording.recording_statements():
            response = self.get_response(request)
        match: Any = request.resolver_match
        recording.view = match.view_name if match else ""
        recording.status = response.status_code
        if isinstance(response, HttpResponse) and _is_page(response):
            recording.is_page = True
            _add_panel(request, response, recording)
        for name, value in recording.headers().items():
            response.headers[name] = value
        return response


def _is_page(response: HttpResponse) -> bool:
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return is_html and _BODY_END in response.content


def _add_panel(request: HttpRequest, response: HttpResponse, recording: Recording) -> None:
    """Put the panel at the end of a page, which becomes this browser's own."""
    context = {"recording": recording, "is_admin": request.path_info.startswith("/admin/")}
    panel = render_to_string("backoffice/lens/_panel.html", context, request).encode()
    before, _, after = response.content.rpartition(_BODY_END)
    response.content = before + panel + _BODY_END + after
    response.headers.pop("ETag", None)
    pages.keep_from_proxies(response)
    response.headers["Cache-Control"] = "private, no-store"
    if response.has_header("Content-Length"):
        response.headers["Content-Length"] = str(len(response.content))
