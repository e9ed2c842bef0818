"""Rules of HTTP for all of Django's addresses: HEAD is answered like GET, and an ETag is compared weakly.

Source: RFC 9110, sections 9.3.2 and 13.1.2.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class HeadMiddleware:
    """Shows HEAD to a view as GET; the server leaves the body out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD":
            return _with_head_allowed(self.get_response(request))
        request.method = "GET"
        try:
            response = _with_head_allowed(self.get_response(request))
        finally:
            request.method = "HEAD"
        if getattr(response, "streaming", False):
            # Nobody reads it: what it holds is given back when the response is closed.
            response.streaming_content = iter(())  # type: ignore[attr-defined]
        return response


def _with_head_allowed(response: HttpResponseBase) -> HttpResponseBase:
    """The response; a 405 names HEAD beside GET, since that is where it is answered."""
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = {name.strip() for name in response.get("Allow", "").split(",")} - {""}
        response["Allow"] = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))
    return response


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise ships no types
    """WhiteNoise, which compares If-None-Match as one text: here a list, a weak tag and "*" fit, too."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> Any:
        sent, etag = request.META.get("HTTP_IF_NONE_MATCH"), getattr(static_file, "etag", None)
        if sent and etag and names_etag(sent, etag):
            request.META["HTTP_IF_NONE_MATCH"] = etag
        return WhiteNoiseMiddleware.serve(static_file, request)


def names_etag(if_none_match: str, etag: str) -> bool:
    """Whether a header If-None-Match names this ETag, or any; a weak tag is as good as a strong one."""
    wanted = (etag.removeprefix("W/"), "*")
    return any(tag.strip().removeprefix("W/") in wanted for tag in if_none_match.split(","))
