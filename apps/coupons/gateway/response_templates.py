"""Answers of the gateway in Django's clothes: the headers and the language that its middleware would give.

Each kind of answer passes Django's own middleware once for each manner of asking (host, scheme, language),
and is kept with a gap where the order's id goes.
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
#: Stands where a text of this moment goes; no sentence of ours holds it.
PLACEHOLDER = "\x02gap\x03"
#: Manners of asking that are kept: a forged Host header must not fill the memory.
MAX_VARIANTS = 1_024
#: Headers that change what an answer says, and WSGI's names for them.
VARIANT_HEADERS = {
    b"host": "HTTP_HOST",
    b"accept-language": "HTTP_ACCEPT_LANGUAGE",
    b"x-forwarded-proto": "HTTP_X_FORWARDED_PROTO",
}
SAMPLE_PATH = "/api/vouchers/1/seckill"


@dataclass(frozen=True)
class CachedResponse:
    """A status, headers without the length, and a body in two halves around its gap."""

    status: int
    headers: tuple[Header, ...]
    before: bytes
    after: bytes = b""
    _starts: dict[int, Message] = field(default_factory=dict, compare=False)
    _heads: dict[int, bytes] = field(default_factory=dict, compare=False)

    def to_asgi(self, text: str = "") -> tuple[Message, Message]:
        """ASGI's two messages of the answer with the text in its gap; the first is kept: don't edit it."""
        body = self.before + text.encode() + self.after
        start = self._starts.get(len(body)) or self._start(len(body))
        return start, {"type": "http.response.body", "body": body}

    def to_http(self, text: str, others: bytes) -> bytes:
        """The answer as HTTP/1.1 writes it, with the server's `others`: whole lines of headers."""
        body = self.before + text.encode() + self.after
        return b"%b%b\r\n%b" % (self._heads.get(len(body)) or self._head(len(body)), others, body)

    def _start(self, length: int) -> Message:
        # The texts in gaps are of a few lengths.
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
    """Headers as HTTP/1.1 writes them."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)


class RequestVariant:
    """How somebody asks, as far as the answer's headers and language depend on it; WSGI's variables.

    Made by `manner`, which gives the same one to all who ask alike: answers are kept by it.
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
def variant_for(scheme: str, *told: bytes | None) -> RequestVariant:
    """The manner of a scheme and the values of TELLING's headers, in its order."""
    given = zip(VARIANT_HEADERS.values(), told, strict=True)
    variables = {name: value.decode("latin-1") for name, value in given if value is not None}
    return RequestVariant(variables | {"wsgi.url_scheme": scheme})


class _MiddlewareRenderer(BaseHandler):
    """Django's middleware around an answer that is there already."""

    def __init__(self) -> None:
        self.load_middleware()

    def _get_response(self, request: HttpRequest) -> HttpResponse:
        # In here the language of the request is the active one.
        make: Any = request.META["savor.answer"]
        answer: HttpResponse = make()
        return answer

    def render(self, manner: RequestVariant, make: Any) -> CachedResponse:
        request = WSGIRequest(manner.environ | {"wsgi.input": BytesIO(), "savor.answer": make})
        answer = cast(HttpResponse, self.get_response(request))
        before, _, after = answer.content.partition(json.dumps(PLACEHOLDER)[1:-1].encode())
        headers = tuple(
            (name.lower().encode("latin-1"), str(value).encode("latin-1"))
            for name, value in answer.items()
            if name.lower() != "content-length"
        )
        answer.close()
        return CachedResponse(answer.status_code, headers, before, after)


def warm_up() -> None:
    """Load what the first buyer should not wait for: middleware (it looks through static files) and URLs."""
    _renderer().render(RequestVariant({"wsgi.url_scheme": "http"}), _build_accepted)


@lru_cache(maxsize=1)
def _renderer() -> _MiddlewareRenderer:
    return _MiddlewareRenderer()


@lru_cache(maxsize=MAX_VARIANTS)
def render_accepted(manner: RequestVariant) -> CachedResponse:
    """201 with a gap for the order's id."""
    return _renderer().render(manner, _build_accepted)


@lru_cache(maxsize=8 * MAX_VARIANTS)
def render_refused(
    manner: RequestVariant, make: Callable[..., Problem], *facts: int, gap: str = ""
) -> CachedResponse:
    """The refusal `make(*facts)`, made in the asker's language; `gap` names the member that differs."""
    return _renderer().render(manner, lambda: _build_refused(make(*facts), gap))


def _build_accepted() -> HttpResponse:
    return HttpResponse(
        json.dumps({"order_id": PLACEHOLDER}), status=201, content_type="application/json; charset=utf-8"
    )


def _build_refused(problem: Problem, gap: str) -> HttpResponse:
    if gap:
        problem.extra[gap] = PLACEHOLDER
    return problem.as_json()
