"""Middleware that turns exceptions into problems and refuses unreadable requests."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from apps.web import body_limits
from apps.web.problems import error_pages, translation
from apps.web.problems.problem import Problem

ALLOWED_METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
TEXT_ENCODINGS = {"", "utf-8", "utf8", "us-ascii"}
logger = logging.getLogger(__name__)


class ProblemMiddleware:
    """Answers problems as pages or JSON, and refuses requests that no view could read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        refused = refusal(request)
        if refused:
            answer = error_pages.respond(request, refused)
            if refused.status == HTTPStatus.METHOD_NOT_ALLOWED:
                answer["Allow"] = "GET, HEAD, POST"
            return answer
        response = self.get_response(request)
        return with_problem_body(request, response)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The response to problems and unavailable stores; None for what Django handles itself."""
        if not isinstance(error, (Problem, *translation.STORE_ERRORS)):
            return None
        if isinstance(error, translation.SQL_UNAVAILABLE):
            logger.error("%s %s failed", request.method, request.path, exc_info=error)
        return error_pages.respond(request, translation.translate(error))


def refusal(request: HttpRequest) -> Problem | None:
    """The problem of a request with a bad method, encoding or size, or with a NUL in its text; else None."""
    # An operation of the API answers others with 405 itself; a page's view may act on any.
    if request.method not in ALLOWED_METHODS and not request.path.startswith(error_pages.API_ROOT):
        return translation.from_status(405)
    encoding = (request.content_params or {}).get("charset", "").lower()
    # A codec such as "hex" is known to Python but decodes no text.
    if encoding not in TEXT_ENCODINGS or request.META.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        return Problem(415, "unsupported_encoding", _("Send UTF-8 text that is not compressed."))
    # WSGI tells a body's end by its length: without one, Django would take this body for an empty one.
    if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
        return Problem(411, "length_required", _("Send the length of the body."))
    if has_nul(request):
        return translation.from_status(400)
    return _size_refusal(request)


def has_nul(request: HttpRequest) -> bool:
    """Whether the path, the query or a cookie carries a NUL, which PostgreSQL refuses."""
    if "\x00" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
        return True
    # A quoted cookie may spell NUL as \000.
    quoted = "\\" in request.META.get("HTTP_COOKIE", "")
    return quoted and any("\x00" in value for value in request.COOKIES.values())


def _size_refusal(request: HttpRequest) -> Problem | None:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if not (announced.isascii() and announced.isdigit() and len(announced) < 20):
        return translation.from_status(400)
    is_too_large = int(announced) > body_limits.max_body_bytes(request.path_info)
    return translation.from_status(413) if is_too_large else None


def with_problem_body(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response; an error without a problem body becomes a problem of the same status and headers."""
    if response.status_code < 400 or not _lacks_problem_body(request, response):
        return response
    made = error_pages.respond(request, translation.from_status(response.status_code))
    for name in ("Allow", "Retry-After"):
        if response.has_header(name):
            made[name] = response[name]
    return made


def _lacks_problem_body(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether an error has no problem document (API) or an empty page (HTML)."""
    if request.path.startswith(error_pages.API_ROOT):
        return not response.get("Content-Type", "").startswith("application/problem+json")
    return response.status_code == 405 and not getattr(response, "content", b"")
