"""A minimal keep-alive HTTP/1.1 connection, so cheap that the site is the slow part."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import httptools


class ConnectionLost(Exception):  # noqa: N818 - not an error: the buyer asks again
    """The connection ended, or no answer came in time; the request may or may not have been served."""


@dataclass
class Reply:
    """One answer: status, body, and the seconds of Retry-After (0.0 without one)."""

    status: int
    body: bytes
    retry_after: float

    @property
    def json(self) -> dict[str, Any]:
        """The body's JSON object; {} when it is none, as from a server that is failing."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass
class HttpConnection(asyncio.Protocol):
    """A connection that carries one request at a time."""

    transport: asyncio.Transport | None = None
    answer: asyncio.Future[Reply] | None = None
    body: list[bytes] = field(default_factory=list)
    retry_after: float = 0.0

    @classmethod
    async def open(cls, host: str, port: int) -> "HttpConnection":
        """Open a new connection; raises ConnectionLost when it is refused."""
        try:
            _, line = await asyncio.get_running_loop().create_connection(cls, host, port)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        return line

    async def ask(self, request: bytes, *, seconds: float) -> Reply:
        """Send bytes and return the whole answer; after ConnectionLost the connection can't be used again."""
        if self.transport is None or self.transport.is_closing():
            raise ConnectionLost("closed")
        loop = asyncio.get_running_loop()
        self.answer = loop.create_future()
        late = loop.call_later(seconds, self.close)
        self.transport.write(request)
        try:
            return await self.answer
        finally:
            late.cancel()

    def close(self) -> None:
        """Abort the connection, even during a request."""
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.parser = httptools.HttpResponseParser(self)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(ConnectionLost(str(exc or "closed by the server")))

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()

    def on_message_begin(self) -> None:
        self.body, self.retry_after = [], 0.0

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"retry-after" and value.isdigit():
            self.retry_after = float(value)

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        if self.transport is not None and not self.parser.should_keep_alive():
            self.transport.close()
        if self.answer is not None and not self.answer.done():
            reply = Reply(self.parser.get_status_code(), b"".join(self.body), self.retry_after)
            self.answer.set_result(reply)
