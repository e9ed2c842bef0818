"""Answers of the gateway with the headers and the language that Django's middleware would give them.

Each kind of answer passes Django's own middleware once for each variant of the request (scheme, host,
language). It is cached with a placeholder where the order id goes.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from typing import Any, cast

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse

from apps.web.problems import Problem

Header = tuple[bytes, bytes]
Message = dict[str, Any]
#: Marks the place of the text that differs from answer to answer; no message contains it.
PLACEHOLDER = "\x02placeholder\x03"
#: Variants kept: forged Host headers must not fill the memory.
MAX_VARIANTS = 1_024
#: Headers of a request that change its answer, and WSGI's names for them.
VARIANT_HEADERS = {
    b"host": "HTTP_HOST",
    b"accept-language": "HTTP_ACCEPT_LANGUAGE",
    b"x-forwarded-proto": "HTTP_X_FORWARDED_PROTO",
}
SAMPLE_PATH = "/api/vouchers/1/seckill"


@dataclass(frozen=True)
class CachedResponse:
    """An answer with a placeholder: status, headers without the length, body before and after it."""

    status: int
    headers: tuple[Header, ...]
    before: bytes
    after: bytes = b""
    _starts: dict[int, Message] = field(default_factory=dict, compare=False)
    _heads: dict[int, bytes] = field(default_factory=dict, compare=False)

    def to_asgi(self, filling: str = "") -> tuple[Message, Message]:
        """ASGI's two messages of the filled answer; the first is shared: don't edit it."""
        body = self.before + filling.encode() + self.after
        start = self._starts.get(len(body)) or self._start(len(body))
        return start, {"type": "http.response.body", "body": body}

    def to_http(self, filling: str, server_lines: bytes) -> bytes:
        """The answer as HTTP/1.1 bytes with its placeholder filled; `server_lines` are whole header lines."""
        body = self.before + filling.encode() + self.after
        return b"%b%b\r\n%b" % (self._heads.get(len(body)) or self._head(len(body)), server_lines, body)

    def _start(self, length: int) -> Message:
        # Fillings come in a few lengths.
        return self._starts.setdefault(
            length,
            {"type": "http.response.start", "status": self.status, "headers": self._with_length(length)},
        )

    def _head(self, length: int) -> bytes:
        line = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n".encode()
        return self._heads.setdefault(length, line + header_lines(self._with_length(length)))

    def _with_length(self, length: int) -> list[Header]:
        return [*self.headers, (b"content-length", b"%d" % length)]


def header_lines(headers: Iterable[Header]) -> bytes:
    """Headers as HTTP/1.1 lines."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)


class RequestVariant:
    """The part of a request that its answer's headers and language depend on, as WSGI's `environ`.

    Made by `variant_for`, which returns the same object for like requests: answers are cached by it.
    """

    def __init__(self, variables: dict[str, str]) -> None:
        self.environ: dict[str, Any] = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": SAMPLE_PATH,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            **variables,
        }


@lru_cache(maxsize=MAX_VARIANTS)
def variant_for(scheme: str, *values: bytes | None) -> RequestVariant:
    """The variant of a scheme and of the values of VARIANT_HEADERS, in order; None where one is missing."""
    given = zip(VARIANT_HEADERS.values(), values, strict=True)
    variables = {name: value.decode("latin-1") for name, value in given if value is not None}
    return RequestVariant(variables | {"wsgi.url_scheme": scheme})


class _MiddlewareRenderer(BaseHandler):
    """Django's middleware around a given response."""

    def __init__(self) -> None:
        self.load_middleware()

    def _get_response(self, request: HttpRequest) -> HttpResponse:
        # Called inside the middleware, where the language of the request is the active one.
        build: Any = request.META["savor.build_response"]
        response: HttpResponse = build()
        return response

    def render(self, variant: RequestVariant, build: Callable[[], HttpResponse]) -> CachedResponse:
        request = WSGIRequest(variant.environ | {"wsgi.input": BytesIO(), "savor.build_response": build})
        response = cast(HttpResponse, self.get_response(request))
        before, _, after = response.content.partition(json.dumps(PLACEHOLDER)[1:-1].encode())
        headers = tuple(
            (name.lower().encode("latin-1"), str(value).encode("latin-1"))
            for name, value in response.items()
            if name.lower() != "content-length"
        )
        response.close()
        return CachedResponse(response.status_code, headers, before, after)


def warm_up() -> None:
    """Load the URLs and the middleware, which lists the static files, so that no claim waits for it."""
    _renderer().render(RequestVariant({"wsgi.url_scheme": "http"}), _build_accepted)


@lru_cache(maxsize=1)
def _renderer() -> _MiddlewareRenderer:
    return _MiddlewareRenderer()


@lru_cache(maxsize=MAX_VARIANTS)
def render_accepted(variant: RequestVariant) -> CachedResponse:
    """201 with a placeholder for the order id."""
    return _renderer().render(variant, _build_accepted)


@lru_cache(maxsize=8 * MAX_VARIANTS)
def render_refused(
    variant: RequestVariant, build: Callable[..., Problem], *arguments: int, placeholder: str = ""
) -> CachedResponse:
    """The Problem `build(*arguments)` in the variant's language; `placeholder` names what differs."""
    return _renderer().render(variant, lambda: _build_refused(build(*arguments), placeholder))


def _build_accepted() -> HttpResponse:
    return HttpResponse(
        json.dumps({"order_id": PLACEHOLDER}), status=201, content_type="application/json; charset=utf-8"
    )


def _build_refused(problem: Problem, placeholder: str) -> HttpResponse:
    if placeholder:
        problem.extra[placeholder] = PLACEHOLDER
    return problem.as_json()
