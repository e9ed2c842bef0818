"""Talks to the HTTP protocol class that uvicorn uses on the site, without a server or a socket."""

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httptools
from uvicorn.config import Config
from uvicorn.server import ServerState

from apps.front.asgi import Front
from apps.front.gate import Gate
from apps.front.lens import Lens
from apps.front.observe import Observer
from apps.front.route import Route
from config.asgi import HttpProtocol
from tests.asgi_client import Application, AsgiResponse

DATE = (b"date", b"Sun, 22 Nov 2026 12:00:00 GMT")


class Transport(asyncio.Transport):
    """Keeps the bytes that a protocol writes."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.is_paused, self._closes = b"", False, False
        #: Bytes that the client has not taken, and whether the connection was cut.
        self.unread, self.is_aborted = 0, False
        self.has_written = asyncio.Event()

    def write(self, data: Any) -> None:
        self.written += bytes(data)
        self.has_written.set()

    def close(self) -> None:
        self._closes = True

    def is_closing(self) -> bool:
        return self._closes

    def abort(self) -> None:
        self._closes = self.is_aborted = True

    def get_write_buffer_size(self) -> int:
        return self.unread

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False


class Connection:
    """The client's end of one connection."""

    def __init__(
        self,
        *routes: Route,
        application: Application | None = None,
        gate: Gate | None = None,
        observers: Sequence[Observer] = (),
        lens: Lens | None = None,
        patience: int = 60,
        clock: Any = None,
    ) -> None:
        front = Front(routes, application or _nobody, gate=gate, observers=observers, lens=lens)
        config = Config(
            front,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            timeout_keep_alive=patience,
        )
        state = ServerState()
        state.default_headers = [DATE]
        kind = type("Given", (HttpProtocol,), {"front": front})
        self.transport: Transport = Transport()
        self.protocol: HttpProtocol = kind(config, state, {}, clock)
        self.protocol.connection_made(self.transport)

    def send(self, data: bytes) -> None:
        self.protocol.data_received(data)

    @property
    def answers(self) -> list[AsgiResponse]:
        """All complete responses received so far."""
        reader = _Reader()
        reader.parser = httptools.HttpResponseParser(reader)
        reader.parser.feed_data(self.transport.written)
        return reader.said

    async def answer(self, data: bytes) -> AsgiResponse:
        """Send these bytes and return the next response."""
        before = len(self.answers)
        self.send(data)
        async with asyncio.timeout(60):
            # Looking in each round of the loop would take the processor from what is waited for.
            while len(self.answers) == before:
                self.transport.has_written.clear()
                await self.transport.has_written.wait()
        return self.answers[before]

    def leave(self) -> None:
        """Close the connection from the client's side."""
        self.protocol.connection_lost(None)


async def _nobody(*_: Any) -> None:
    """Stands behind the routes and is never asked."""
    raise AssertionError("a route answers")


def as_asgi_application(*routes: Route, **options: Any) -> Application:
    """Wrap a protocol as an ASGI application that sends each request's bytes over its own connection.

    `options` are Connection's.
    """

    async def ask(scope: dict[str, Any], receive: Any, send: Any) -> None:
        assert scope["method"] != "HEAD", "an answer without its body is not read here"
        said = await Connection(*routes, **options).answer(_encode_request(scope, (await receive())["body"]))
        headers = [(name.encode(), value.encode("latin-1")) for name, value in said.headers.items()]
        headers.remove(DATE)
        await send({"type": "http.response.start", "status": said.status, "headers": headers})
        await send({"type": "http.response.body", "body": said.body.encode()})

    return ask


def _encode_request(scope: dict[str, Any], body: bytes) -> bytes:
    query = b"?" * bool(scope["query_string"]) + scope["query_string"]
    lines = [
        b"%b %b%b HTTP/1.1" % (scope["method"].encode(), quote(scope["raw_path"], safe="/%").encode(), query),
        *(b"%b: %b" % pair for pair in scope["headers"]),
    ]
    is_chunked = (b"transfer-encoding", b"chunked") in scope["headers"]
    return b"\r\n".join([*lines, b"", b"0\r\n\r\n" if is_chunked else body])


class _Reader:
    """Collects responses from the callbacks of httptools' parser."""

    def __init__(self) -> None:
        self.said: list[AsgiResponse] = []
        self._status, self._headers, self._body = 0, dict[str, str](), b""
        self.parser: Any = None

    def on_message_begin(self) -> None:
        self._headers, self._body = {}, b""

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode().lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._status = self.parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        self.said.append(AsgiResponse(self._status, self._headers, self._body.decode()))
