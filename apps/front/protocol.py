"""The HTTP protocol of the site's connections: routes answer at the socket, the application everything else.

ASGI costs a request a coroutine, a task and two messages: more than a short answer itself. Here a message
without a body, or with a short one, is read whole; the first route that reads it answers, in its turn.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, ClassVar

from django.conf import settings
from httptools import parse_url
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from apps.front.asgi import Front
from apps.front.connection import BoundedHttpProtocol
from apps.front.head_fields import Header
from apps.front.lens import Recording, asks_for_lens
from apps.front.observe import Answered
from apps.front.origin import api_origin_headers
from apps.front.response import Response, header_lines
from apps.front.route import Message, Reply, Route
from apps.redis_kit import observers
from apps.redis_kit.observers import NOBODY

#: A longer body is Django's, as is one of unknown length.
MAX_BODY_BYTES = 1_024
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_HTML = b"text/html"
log = logging.getLogger(__name__)


class HttpProtocol(BoundedHttpProtocol):
    """One connection to the application `front`; while its gate is closed, no route is asked."""

    front: ClassVar[Front]
    #: Called when the connection is lost.
    on_lost: Callable[[], object] | None = None
    #: The body of the message that is being read, if a route may have it.
    _body: bytes | None = None
    #: The server's own headers, these as lines, and whether settings.API_ORIGINS names anybody.
    _cached_server_lines: ClassVar[tuple[Sequence[Header], bytes, bool]] = (), b"", False

    @property
    def is_undecided(self) -> bool:
        return self._is_head or self._body is not None

    def on_head(self) -> None:
        length = self.fields.get(b"content-length")
        if length is None:
            may_be_short = b"transfer-encoding" not in self.fields
        else:
            may_be_short = length.isdigit() and len(length) < 5 and int(length) <= MAX_BODY_BYTES
        if not may_be_short or self.front.gate.switch.closed is not None:
            super().on_head()
            return
        self._body = b""
        if self.expect_100_continue and length and int(length):
            self.expect_100_continue = False
            self.transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        if self._body is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message(self) -> None:
        body, self._body = self._body, None
        if body is None:
            super().on_message()
            return
        peer = self.client[0] if self.client else ""
        method = self.parser.get_method()
        message = Message(method, self.url, self.scheme or "http", self.fields, peer, body)
        for route in self.front.routes.get(method, ()):
            request = route.read(message)
            if request is not None:
                self._start(RouteExchange(self, route, request, message))
                return
        super().on_head()
        super().on_body(body)
        super().on_message()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.on_lost:
            self.on_lost()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override] # asyncio's has an answer, uvicorn's none
        """Whether the connection stays: a route's request is answered, though its client sends no more."""
        exchange = self.cycle
        stays = isinstance(exchange, RouteExchange) and not exchange.done() and self.on_lost is None
        if stays:
            exchange.keep_alive = False
        return stays

    def shutdown(self) -> None:
        if isinstance(self.cycle, RouteExchange) and self.cycle.is_stream:
            self._close()
        else:
            super().shutdown()

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine for this connection; the process waits for it when it ends."""
        task = self.loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def start_application(self, exchange: "RouteExchange") -> None:
        """Have the application answer a message that a route had read."""
        message, url = exchange.message, parse_url(exchange.message.target)
        path = self.root_path.encode() + url.path
        scope = self.begin_scope() | {
            "http_version": exchange.version,
            "method": message.method.decode(),
            "path": path.decode(),
            "raw_path": path,
            "query_string": url.query or b"",
            "headers": list(message.fields.items()),
        }
        cycle = RequestResponseCycle(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=exchange.keep_alive,
            on_response=self.on_response_complete,
        )
        cycle.body, cycle.more_body = bytearray(message.body), False
        cycle.message_event.set()
        if self.cycle is exchange:
            self.cycle = cycle
        with observers.calling_for(NOBODY):
            self._start_asgi_task(cycle, self.app)

    def further_lines(self, message: Message) -> bytes:
        """What answers of the loop say besides: the server's own headers, and who else may read the API."""
        headers, lines, has_origins = self._cached_server_lines
        if headers is not self.server_state.default_headers:
            # uvicorn makes a new list of them each second.
            headers = self.server_state.default_headers
            lines, has_origins = header_lines(headers), bool(settings.API_ORIGINS)
            HttpProtocol._cached_server_lines = headers, lines, has_origins
        if has_origins:
            lines += header_lines(api_origin_headers(message.target, message.fields))
        return lines

    def _start(self, exchange: "RouteExchange") -> None:
        is_free, self.cycle = self.is_free, exchange
        if not is_free:
            self.flow.pause_reading()
            self.pipeline.appendleft((exchange, self.app))  # type: ignore[arg-type]
        elif self.flow.write_paused:
            self.start_task(exchange.run_asgi(self.app))
        else:
            exchange.start()


class _NoopEvent:
    """The event that uvicorn sets when a request's body goes on; no task waits for it here."""

    def set(self) -> None: ...


class RouteExchange:
    """A message and the route that answers it (route.Exchange), as uvicorn's cycle of the connection.

    uvicorn's protocol uses of a cycle `response_complete`, `disconnected`, `keep_alive`, `more_body`,
    `message_event` and, for one that waits for its turn, `run_asgi`.
    """

    __slots__ = (
        *("_connection", "_recording", "_request", "_route", "began", "disconnected", "is_stream"),
        *("keep_alive", "message", "more_body", "response_complete", "version"),
    )
    message_event = _NoopEvent()

    def __init__(self, connection: HttpProtocol, route: Route, request: Any, message: Message) -> None:
        self._connection, self._route, self._request, self.message = connection, route, request, message
        self.response_complete = self.disconnected = self.more_body = self.is_stream = False
        self.version = connection.version
        self.keep_alive = self.version == "1.1" and connection.parser.should_keep_alive()
        self._recording: Recording | None = None

    def start(self) -> None:
        """Have the route answer: the turn of this message has come."""
        connection, fields = self._connection, self.message.fields
        self.began = connection.loop.time()
        if connection.front.lens and asks_for_lens(fields):
            self._recording = connection.front.lens.begin(self.message)
        if self._recording:
            with observers.calling_for(self._recording.callers):
                self._answer()
        else:
            self._answer()

    async def run_asgi(self, _application: Any) -> None:
        """Start when the client takes what was written to it before."""
        await self._connection.flow.drain()
        if not (self.disconnected or self._connection.transport.is_closing()):
            self.start()

    def done(self) -> bool:
        return self.response_complete or self.disconnected

    def set_result(self, reply: Reply) -> None:
        if isinstance(reply, Response):
            if self._recording:
                self.run(self._end_recording(self._recording, reply))
            else:
                self._finish(reply)
        elif reply is None:
            self._leave_to_application()
        else:
            self.run(self._wait_for(reply))

    def set_exception(self, error: Exception) -> None:
        try:
            reply = self._route.answer_failure(self._request, error)
        except Exception:
            log.exception("a failure of %r can't be answered", self._route)
            self._connection.transport.close()
        else:
            self.set_result(reply)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        # A batch hands out its answers on behalf of all that were in it.
        with observers.calling_for(self._recording.callers if self._recording else NOBODY):
            self._connection.start_task(work)

    def call_when_lost(self, act: Callable[[], object] | None) -> None:
        self._connection.on_lost = act

    def open_stream(self, head: bytes, first: bytes, *, route: str) -> None:
        connection = self._connection
        self.is_stream, self.keep_alive = True, False
        self._abandon_recording()
        connection._silence_timer.cancel()
        lines = connection.further_lines(self.message)
        self.write_chunk(b"%b%bconnection: close\r\n\r\n%b" % (head, lines, first))
        if connection.front.observers:
            seconds = connection.loop.time() - self.began
            connection.front.notify(Answered(self.message, route, 200, seconds, None, False))

    @property
    def is_slow(self) -> bool:
        return bool(self._connection.flow.write_paused)

    def write_chunk(self, chunk: bytes) -> None:
        if not self._connection.transport.is_closing():
            self._connection.transport.write(chunk)

    def end(self) -> None:
        self._connection._close()

    def cut(self) -> None:
        self._connection.transport.abort()

    def _answer(self) -> None:
        try:
            self._route.answer(self._request, self)
        except Exception as error:
            self.set_exception(error)

    async def _wait_for(self, reply: Callable[[], Awaitable[Response | None]]) -> None:
        try:
            response = await reply()
        except Exception as error:
            self.set_exception(error)
        else:
            self.set_result(response)

    def _finish(self, response: Response) -> None:
        connection = self._connection
        self.response_complete = True
        if connection.front.observers:
            seconds, is_html = connection.loop.time() - self.began, _HTML in response.head
            size = len(response.body)
            connection.front.notify(
                Answered(self.message, response.route, response.status, seconds, size, is_html)
            )
        if self.disconnected:
            return
        body = b"" if self.message.method == b"HEAD" else response.body
        lines = connection.further_lines(self.message)
        if self.keep_alive:
            connection.transport.write(b"%b%b\r\n%b" % (response.head, lines, body))
        else:
            connection.transport.write(b"%b%bconnection: close\r\n\r\n%b" % (response.head, lines, body))
            connection.transport.close()
        connection.on_response_complete()

    async def _end_recording(self, recording: Recording, response: Response) -> None:
        try:
            response = await recording.end(response)
        except Exception:
            log.exception("what the lens has recorded is lost")
        self._recording = None
        self._finish(response)

    def _leave_to_application(self) -> None:
        self._abandon_recording()
        self.response_complete = True
        if not self.disconnected:
            self._connection.start_application(self)

    def _abandon_recording(self) -> None:
        if self._recording:
            self._recording.abandon()
            self._recording = None
