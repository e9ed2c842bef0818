"""Compresses what Django answers: pages and JSON, when they are longer than a packet.

Static files and shared pages bring their own compressed forms. Guessing a secret by the length of compressed
answers (BREACH) needs a secret beside what another person chose, and requests from another site with the
person's cookies: pages hold no token since docs/decisions/077, the admin masks its own anew each time, and no
cookie goes with a foreign page's request (SameSite=Lax). So Django's random padding is left out; a page that
shows a secret beside a person's search must not be compressed. Brotli takes twice the time, for what is sent
once.
"""

import gzip
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from apps.front.encoding import accepts_gzip

#: Below this an answer takes one packet either way.
MIN_BYTES = 1_400
#: Half of the time of the usual level 6 (0.8 ms for 70 KB), and a fifteenth more bytes.
LEVEL = 4
TYPES = ("text/html", "application/json", "application/problem+json", "application/xml", "text/plain")


class CompressionMiddleware:
    """Answers in gzip where the client takes it; it comes outside of whatever edits a response's content."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and _is_worthwhile(response):
            patch_vary_headers(response, ["Accept-Encoding"])
            if accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", "").encode("latin-1")):
                _compress(response)
        return response


def _is_worthwhile(response: HttpResponse) -> bool:
    """Whether an answer is long text; one with a strong ETag is the same bytes for every client."""
    etag = response.headers.get("ETag", "W/")
    if response.has_header("Content-Encoding") or not etag.startswith("W/"):
        return False
    is_text = response.headers.get("Content-Type", "").startswith(TYPES)
    return is_text and len(response.content) >= MIN_BYTES


def _compress(response: HttpResponse) -> None:
    response.content = gzip.compress(response.content, LEVEL, mtime=0)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
