"""One class of responses: what the event loop answers itself, and what Django answered for it to keep.

    response = Response(200, [(b"content-type", b"text/plain")], b"hello", route="shops:detail")
    response.head + response.body                     # HTTP/1.1 but for the server's own headers
    await response.send(send)                         # ASGI

A response is shared between requests: `with_body`, `with_cookie` and `Template.fill` make new ones.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property
from http import HTTPStatus
from typing import Any

from apps.front.head_fields import Header

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
#: What a response that brings somebody a cookie must not say, and what it says instead.
PROXY_HEADERS = frozenset((b"cache-control", b"cdn-cache-control", b"x-accel-expires"))
OWN_CACHE_CONTROL = (b"cache-control", b"no-cache, private")
#: Statuses of responses that say nothing about a body's length.
BODILESS = frozenset((HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED))
_LENGTH = b"content-length"


class Response:
    """A complete response: names of headers are in small letters, Content-Length is the body's own.

    `route` is the name of the route that it answers, "" where it isn't measured.
    """

    def __init__(self, status: int, headers: Iterable[Header], body: bytes = b"", *, route: str = "") -> None:
        self.status, self.body, self.route = status, body, route
        self.headers: Sequence[Header] = [header for header in headers if header[0] != _LENGTH]

    @cached_property
    def start(self) -> Message:
        """ASGI's first message."""
        length = () if self.status in BODILESS else ((_LENGTH, b"%d" % len(self.body)),)
        return {"type": "http.response.start", "status": self.status, "headers": [*self.headers, *length]}

    async def send(self, send: Send) -> None:
        """Give it to an ASGI server."""
        await send(self.start)
        await send({"type": "http.response.body", "body": self.body})

    @cached_property
    def head(self) -> bytes:
        """The status line and the headers as HTTP/1.1 lines, without the empty one."""
        return self.lines if self.status in BODILESS else _with_length(self.lines, len(self.body))

    @cached_property
    def lines(self) -> bytes:
        """The head without the body's length."""
        line = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n".encode()
        return line + header_lines(self.headers)

    @property
    def is_shareable(self) -> bool:
        """Whether it is a page for everybody: 200, no cookie, nothing that forbids keeping it."""
        headers = dict(self.headers)
        rule = headers.get(b"cache-control", b"")
        is_own = b"private" in rule or b"no-store" in rule or b"set-cookie" in headers
        return self.status == HTTPStatus.OK and not is_own

    def is_same(self, other: "Response") -> bool:
        """Whether the other one says the same."""
        mine, its = ((one.status, one.headers, one.body) for one in (self, other))
        return mine == its

    def with_body(self, body: bytes) -> "Response":
        """The same head in front of another body."""
        made = _made_of(self.status, self.headers, body, self.route)
        made.lines = self.lines
        return made

    def with_header(self, header: Header) -> "Response":
        """The same response with one header in place of those of its name."""
        kept = [each for each in self.headers if each[0] != header[0]]
        return Response(self.status, [*kept, header], self.body, route=self.route)

    def private(self) -> "Response":
        """The response for one browser alone: no cache in between keeps it."""
        kept = [header for header in self.headers if header[0] not in PROXY_HEADERS]
        return Response(self.status, [*kept, OWN_CACHE_CONTROL], self.body, route=self.route)

    def with_cookie(self, cookie: bytes) -> "Response":
        """The response for one browser, to which it gives a cookie."""
        kept = [header for header in self.headers if header[0] not in PROXY_HEADERS]
        return Response(
            self.status, [*kept, OWN_CACHE_CONTROL, (b"set-cookie", cookie)], self.body, route=self.route
        )


class Template:
    """A response with a placeholder in its body or its headers, to be filled for each person."""

    def __init__(self, response: Response, placeholder: bytes) -> None:
        self.response, self._placeholder = response, placeholder
        self._in_headers = any(placeholder in value for _, value in response.headers)
        self._heads: dict[int, bytes] = {}

    @property
    def has_placeholder(self) -> bool:
        return self._in_headers or self._placeholder in self.response.body

    def fill(self, text: str) -> Response:
        """The response with the text in place of the placeholder."""
        empty, filling = self.response, text.encode()
        body, headers = empty.body.replace(self._placeholder, filling), empty.headers
        # Bodies come in a few lengths.
        head = self._heads.get(len(body)) or self._build_head(len(body))
        if self._in_headers:
            headers = [(name, value.replace(self._placeholder, filling)) for name, value in headers]
            head = head.replace(self._placeholder, filling)
        filled = _made_of(empty.status, headers, body, empty.route)
        filled.head = head
        return filled

    def _build_head(self, length: int) -> bytes:
        return self._heads.setdefault(length, _with_length(self.response.lines, length))


def header_lines(headers: Iterable[Header]) -> bytes:
    """Headers as HTTP/1.1 lines."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)


def _with_length(lines: bytes, length: int) -> bytes:
    return b"%bcontent-length: %d\r\n" % (lines, length)


def _made_of(status: int, headers: Sequence[Header], body: bytes, route: str) -> Response:
    """A response whose headers are those of another one, which have no length."""
    made = Response.__new__(Response)
    made.status, made.headers, made.body, made.route = status, headers, body, route
    return made
