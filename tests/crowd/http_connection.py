"""A minimal keep-alive HTTP/1.1 connection, so cheap that the site is the slow part."""

import asyncio
import json
import re
import ssl
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

import httptools

#: Statuses of refusals that aren't 409.
REASON_STATUSES = {
    "not_logged_in": 401,
    "not_found": 404,
    "too_many_requests": 429,
    "busy": 503,
    "not_ready": 503,
}
#: Where a page sends those who aren't logged in.
LOGIN_PATH = "/login/"
#: Where a form's redirect goes: to the order, or back with the reason.
ORDER_PAGE, REASON = re.compile(r"/orders/(\d+)/$"), re.compile(r"[?&]reason=(\w+)")


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class ConnectionLost(Exception):  # noqa: N818 - not an error: the buyer asks again
    """The connection ended, or no answer came in time; the request may or may not have been served."""


@dataclass
class Reply:
    """One answer: status, body, and the seconds of Retry-After (0.0 without one)."""

    status: int
    body: bytes
    retry_after: float
    location: str = ""

    @property
    def claim_status(self) -> int:
        """The status of a claim's answer; of a form's redirect, the one that the API answers instead."""
        if self.status not in (302, 303):
            return self.status
        return 201 if ORDER_PAGE.search(self.location) else REASON_STATUSES.get(self.code, 409)

    @property
    def order_id(self) -> str:
        """The order that the answer names, or ""."""
        page = ORDER_PAGE.search(self.location)
        return page[1] if page else str(self.json.get("order_id") or "")

    @property
    def code(self) -> str:
        """The refusal's stable code, or ""."""
        if self.location.startswith(LOGIN_PATH):
            return "not_logged_in"
        reason = REASON.search(self.location)
        return reason[1] if reason else str(self.json.get("code", ""))

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
    location: str = ""

    @classmethod
    async def open(cls, host: str, port: int, *, source: str = "") -> "HttpConnection":
        """Open a connection, from an address of this machine if wanted; ConnectionLost when it is refused."""
        near = (source, 0) if source else None
        try:
            _, line = await asyncio.get_running_loop().create_connection(cls, host, port, local_addr=near)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        return line

    @classmethod
    async def open_url(cls, url: str) -> "HttpConnection":
        """Open a connection to the server of a URL, by TLS for https; ConnectionLost when it is refused."""
        address = urlsplit(url)
        is_secure = address.scheme == "https"
        port = address.port or (443 if is_secure else 80)
        secure = _tls() if is_secure else None
        try:
            _, line = await asyncio.get_running_loop().create_connection(
                cls, address.hostname or "", port, ssl=secure
            )
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
        # uvloop's transports don't inherit from asyncio's.
        self.transport = cast(asyncio.Transport, transport)
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
        self.body, self.retry_after, self.location = [], 0.0, ""

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"retry-after" and value.isdigit():
            self.retry_after = float(value)
        elif name.lower() == b"location":
            self.location = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        if self.transport is not None and not self.parser.should_keep_alive():
            self.transport.close()
        if self.answer is not None and not self.answer.done():
            reply = Reply(self.parser.get_status_code(), b"".join(self.body), self.retry_after, self.location)
            self.answer.set_result(reply)
