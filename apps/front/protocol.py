"""uvicorn's HTTP/1.1 protocol with an end to each head, body and answer, in bytes and in time.

uvicorn keeps as much of a head as a client sends, waits for ever for a connection's first request and for a
body that doesn't end, and sets a timer after each later request. Here one timer a connection checks how long
it has been silent; others run only while a request is incomplete, or an answer is not taken.
"""

from asyncio import TimerHandle
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.utils import get_local_addr, get_remote_addr, is_ssl

from apps.front import head_fields, observe
from apps.front.head_fields import OWS, Header
from apps.front.response import Response, header_lines

#: A cookie of browsers, or a header of programs, holds the signed token of the lens (apps.backoffice.lens).
LENS_COOKIE, LENS_HEADER = "savor_lens", "X-Savor-Lens"
_LENS_COOKIE, _LENS_HEADER = LENS_COOKIE.encode(), LENS_HEADER.lower().encode()
#: Bytes of a request line with its headers; nginx passes on 32 KiB.
MAX_HEAD_BYTES = 64 * 1024
#: Seconds for a head, and for a body before its rate counts; the rate allows 25 minutes for the largest one.
GRACE_SECONDS, MIN_BYTES_PER_SECOND = 20.0, 8 * 1024
#: Of an answer that waits in memory, a client takes so many bytes in so many seconds, or it is cut.
MIN_TAKEN_BYTES, UNREAD_SECONDS = 8 * 1024, 60.0
#: Seconds for the first request of a connection when the process ends: a restart in turn resets nobody.
FIRST_REQUEST_SECONDS = 0.3
_HTML = b"text/html"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
INVALID = "Invalid HTTP request received."


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection; `--timeout-keep-alive` is how many seconds it may take until its next head is there.

    An offer to go on in another protocol (Upgrade) is declined by answering the message as if it made none
    (RFC 9110, 7.8). The parser takes what follows such a head for that protocol, so the message is read once
    more without it. `fields` are the head's (head_fields).
    """

    cycle: Any
    fields: dict[bytes, bytes]
    #: Bytes received since the message began, None between messages.
    _message_bytes: int | None = None
    _is_head: bool = False
    _message_began: float
    _silence_timer: TimerHandle
    _message_timer: TimerHandle | None = None
    _unread_timer: TimerHandle | None = None

    @property
    def is_free(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        # uvicorn's reads both addresses here, which a claim never needs.
        self.connections.add(self)
        self.transport, self.flow = transport, FlowControl(transport)
        self.scheme = "https" if is_ssl(transport) else "http"
        self._silent_since = self.loop.time()
        self._silence_timer = self.loop.call_later(self.timeout_keep_alive, self._close_when_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._silence_timer, self._message_timer, self._unread_timer):
            if timer:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        try:
            self._parse(data)
        except HttpParserError:
            self.logger.warning(INVALID)
            self.send_400_response(INVALID)
            return
        if self._message_bytes is None:
            return
        self._message_bytes += len(data)
        if self._is_head and self._message_bytes > MAX_HEAD_BYTES:
            self._refuse(431, b"The head is too large.")
        elif self._message_timer is None:
            self._message_began = self.loop.time()
            self._message_timer = self.loop.call_later(GRACE_SECONDS, self._close_when_slow)

    def _parse(self, data: bytes) -> None:
        rest: bytes | memoryview = data
        while rest:
            try:
                self.parser.feed_data(rest)
                return
            except HttpParserUpgrade as offer:
                if self.parser.get_method() == b"CONNECT":
                    raise HttpParserError from offer
                rest = memoryview(rest)[offer.args[0] :]
                self._parse_without_offer()

    def _parse_without_offer(self) -> None:
        """Read the head once more, by a parser that then takes the body for this message's."""
        version = self.parser.get_http_version().encode()
        line = b"%b %b HTTP/%b\r\n" % (self.parser.get_method(), self.url, version)
        kept = [header for header in self.headers if header[0] != b"upgrade"]
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self.parser.feed_data(b"%b%b\r\n" % (line, header_lines(kept)))

    def on_message_begin(self) -> None:
        self._message_bytes, self._is_head = 0, True
        if self.client is None:
            self.server, self.client = get_local_addr(self.transport), get_remote_addr(self.transport)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Fields behind a body are none of the head's.
        if self._is_head:
            self.headers.append((name.lower(), value.rstrip(OWS)))

    def on_headers_complete(self) -> None:
        # Offers another protocol: it is read once more.
        if self.parser.should_upgrade():
            return
        self._is_head = False
        self._read_fields()
        self.on_head()

    def on_head(self) -> None:
        """Take the request, whose head is there: to the application."""
        self.headers = self.scope["headers"] = list(self.fields.items())
        super().on_headers_complete()

    def _read_fields(self) -> None:
        self.fields = fields = head_fields.read_fields(self.headers)
        fields.pop(b"upgrade", None)
        expectation = fields.pop(b"expect", None)
        if expectation is not None:
            is_new = self.parser.get_http_version() != "1.0"
            self.expect_100_continue = is_new and head_fields.expects_continue(expectation)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._message_bytes = None
        if self._message_timer:
            self._message_timer.cancel()
            self._message_timer = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()

    def shutdown(self) -> None:
        """End the connection; one that was accepted a moment ago may still send its request."""
        if self.cycle is None:
            self.loop.call_later(FIRST_REQUEST_SECONDS, super().shutdown)
        else:
            super().shutdown()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread_timer:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _close_when_silent(self) -> None:
        rest = self._silent_since + self.timeout_keep_alive - self.loop.time()
        if not self.is_free:
            rest = self.timeout_keep_alive
        if rest > 0:
            self._silence_timer = self.loop.call_later(rest, self._close_when_silent)
        else:
            self._close()

    def _close_when_slow(self) -> None:
        """End a message that takes too long; one that waits for an earlier answer has another grace."""
        waits = self.flow.read_paused or self.pipeline or (self._is_head and not self.is_free)
        rest = GRACE_SECONDS if waits else self._message_deadline() - self.loop.time()
        if rest > 0:
            self._message_timer = self.loop.call_later(rest, self._close_when_slow)
        elif self._is_head or not (self.is_free or getattr(self.cycle, "response_started", False)):
            self._refuse(408, b"The request took too long.")
        else:
            self._close()

    def _message_deadline(self) -> float:
        """The loop's time at which an incomplete message is cut."""
        if self._is_head:
            return self._message_began + GRACE_SECONDS
        if self.is_free:
            # Answered before its body was there: what still comes is dropped until the client has noticed.
            return self._silent_since + GRACE_SECONDS
        return self._message_began + GRACE_SECONDS + (self._message_bytes or 0) / MIN_BYTES_PER_SECOND

    def _refuse(self, status: int, text: bytes) -> None:
        """Answer a request that no application sees, and close."""
        head = STATUS_LINE[status] + b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
        self.transport.write(head + b"content-length: %d\r\n\r\n%b" % (len(text), text))
        self._close()

    def _close(self) -> None:
        self.transport.close()
        if self.transport.get_write_buffer_size() and not self._unread_timer:
            self._watch_reader()

    def _watch_reader(self) -> None:
        """Abort the connection unless its client goes on taking what waits for it."""
        left = self.transport.get_write_buffer_size() - MIN_TAKEN_BYTES
        self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self._abort_when_unread, left)

    def _abort_when_unread(self, most_bytes: int) -> None:
        if self.transport.get_write_buffer_size() > most_bytes:
            self.transport.abort()
        else:
            self._watch_reader()


class _NoopEvent:
    """The event that uvicorn sets when a request's body goes on; no task waits for one answered here."""

    def set(self) -> None: ...


class DirectCycle:
    """The part of uvicorn's RequestResponseCycle that its protocol reads, for a request answered here."""

    message_event = _NoopEvent()

    def __init__(self) -> None:
        self.response_complete, self.disconnected, self.keep_alive, self.more_body = True, False, True, False


class Gate:
    """Whether the site is closed: while `closed` holds something, every request is the application's."""

    closed: object = None


class DirectHttpProtocol(BoundedHttpProtocol):
    """One connection whose requests a subclass may answer itself, without ASGI, one at a time.

    ASGI costs a request a coroutine, a task and two messages: more than a short answer itself.
    """

    gate: ClassVar[Gate] = Gate()
    _observed: observe.Request | None = None
    _cached_server_lines: ClassVar[tuple[Sequence[Header], bytes]] = (), b""
    _route: str
    _began: float

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._direct = DirectCycle()

    @property
    def may_answer_directly(self) -> bool:
        """Whether the request being read can be answered here; uvicorn's own cycle slows a client that reads
        no answers.
        """
        if self.gate.closed is not None or not self.is_free or self.flow.write_paused:
            return False
        return bool(self.parser.get_http_version() == "1.1")

    def send_continue(self) -> None:
        """Have the client send its body, if it waits for that."""
        if self.expect_100_continue and self.fields.get(b"content-length", b"0") != b"0":
            self.expect_100_continue = False
            self.transport.write(CONTINUE)

    def begin_direct(self, route: str, *, began: float | None = None) -> None:
        """Take the request to a route: nothing else on this connection is answered before it.

        `began` is the loop's time from which it is measured, now unless given.
        """
        self._route, self._began = route, self.loop.time() if began is None else began
        self.cycle, self._direct.response_complete = self._direct, False
        self._direct.keep_alive = self.parser.should_keep_alive()
        if observe.observers:
            # The next request may be read before this one is answered.
            self._observed = observe.Request(
                self.parser.get_method().decode(),
                self.url.decode("latin-1"),
                self.fields,
                self.client[0] if self.client else "",
            )

    def finish_direct(self, response: Response, *, without_body: bool = False) -> None:
        """Write the response to the request that was taken."""
        self._direct.response_complete = True
        if self._observed:
            self.notify_observers(response.status, len(response.body), is_html=_HTML in response.head)
        if self._direct.disconnected:
            return
        head, body = response.head, b"" if without_body else response.body
        if self._direct.keep_alive:
            self.transport.write(b"%b%b\r\n%b" % (head, self._server_lines(), body))
        else:
            self.transport.write(b"%b%bconnection: close\r\n\r\n%b" % (head, self._server_lines(), body))
            self.transport.close()
        self.on_response_complete()

    def notify_observers(self, status: int, length: int | None, *, is_html: bool = False) -> None:
        """Tell whoever measures of the request, once its answer is there."""
        if self._observed:
            seconds = self.loop.time() - self._began
            observe.notify(observe.Answered(self._observed, self._route, status, seconds, length, is_html))

    def leave_measuring(self) -> None:
        """Leave it to the application, which answers the request that was taken, to measure it."""
        self._route = ""

    def _server_lines(self) -> bytes:
        """The server's own headers as lines; uvicorn makes a new list of them each second."""
        headers, lines = self._cached_server_lines
        if headers is not self.server_state.default_headers:
            headers = self.server_state.default_headers
            lines = header_lines(headers)
            DirectHttpProtocol._cached_server_lines = headers, lines
        return lines


def asks_for_lens(headers: Mapping[bytes, bytes]) -> bool:
    """Whether to answer such that the lens can look, by headers named in small letters; Django judges it."""
    return _LENS_HEADER in headers or _LENS_COOKIE in headers.get(b"cookie", b"")
