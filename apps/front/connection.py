"""uvicorn's HTTP/1.1 protocol with an end to each head, body and answer, in bytes and in time.

uvicorn keeps as much of a head as a client sends, waits for ever for a connection's first request and for a
body that doesn't end, and sets a timer after each later request. Here one timer a connection checks how long
it has been silent; others run only while a request is incomplete, or an answer is not taken.
"""

from asyncio import TimerHandle
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.utils import get_local_addr, get_remote_addr, is_ssl

from apps.front import head_fields
from apps.front.head_fields import OWS
from apps.front.response import header_lines

#: Bytes of a request line with its headers; nginx passes on 32 KiB.
MAX_HEAD_BYTES = 64 * 1024
#: Seconds for a head, and for a body before its rate counts; and for a whole body, whatever its rate.
GRACE_SECONDS, MIN_BYTES_PER_SECOND, MAX_BODY_SECONDS = 20.0, 8 * 1024, 600.0
#: Of an answer that waits in memory, a client takes so many bytes in so many seconds, or it is cut.
MIN_TAKEN_BYTES, UNREAD_SECONDS = 8 * 1024, 60.0
#: Seconds for the first request of a connection when the process ends: a restart in turn resets nobody.
FIRST_REQUEST_SECONDS = 0.3
#: Messages of a connection that wait for their turn; then no more is parsed.
MAX_WAITING = 16
#: Bytes that are parsed at once, so that not many more wait, and seconds until other connections have a turn.
PIECE_BYTES, MAX_TURN_SECONDS = 1_024, 0.005


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection; `--timeout-keep-alive` is how many seconds it may take until its next head is there.

    An offer to go on in another protocol (Upgrade) is declined by answering the message as if it made none
    (RFC 9110, 7.8). The parser takes what follows such a head for that protocol, so the message is read once
    more without it. `fields` are the head's (head_fields).
    """

    cycle: Any
    fields: dict[bytes, bytes]
    #: Of HTTP, such as "1.1": the parser writes it anew each time.
    version: str
    #: Bytes received since the message began, None between messages.
    _message_bytes: int | None = None
    #: What was received and has to wait, since MAX_WAITING messages do.
    _unparsed: bytes = b""
    #: Status and text for a message that can't be read; nothing is read after it.
    _refusal: tuple[int, bytes] = 400, b"Invalid HTTP request received."
    _is_broken: bool = False
    _is_head: bool = False
    _message_began: float
    _silence_timer: TimerHandle
    _message_timer: TimerHandle | None = None
    _unread_timer: TimerHandle | None = None

    @property
    def is_free(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_undecided(self) -> bool:
        """Whether no route has taken the message that is being read yet."""
        return self._is_head

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
        if self._unparsed:
            self._unparsed += data
            self.flow.pause_reading()
        elif len(data) <= PIECE_BYTES and len(self.pipeline) < MAX_WAITING:
            self._take(data)
        else:
            self._take_in_pieces(data)

    def _take_in_pieces(self, data: bytes) -> None:
        """Parse until too many messages wait for their turn, or other connections do; the rest later."""
        began = self.loop.time()
        for at in range(0, len(data), PIECE_BYTES):
            is_full = len(self.pipeline) >= MAX_WAITING
            if is_full or self.loop.time() - began > MAX_TURN_SECONDS:
                self._unparsed = data[at:]
                self.flow.pause_reading()
                if not is_full:
                    self.loop.call_soon(self._take_rest)
                return
            if not self.transport.is_closing():
                self._take(data[at : at + PIECE_BYTES])

    def _take_rest(self) -> None:
        """Go on with what was received; read more from the client when nothing of it is left."""
        if self._unparsed and len(self.pipeline) < MAX_WAITING:
            data, self._unparsed = self._unparsed, b""
            self._take_in_pieces(data)
            if not (self._unparsed or self.pipeline or self.transport.is_closing()):
                self.flow.resume_reading()

    def _take(self, data: bytes) -> None:
        if self._is_broken:
            return
        try:
            try:
                self.parser.feed_data(data)
            except HttpParserUpgrade as offer:
                self._parse_behind(memoryview(data), offer)
        except HttpParserError:
            self._break_off()
            return
        if self._message_bytes is None:
            return
        self._message_bytes += len(data)
        if self._is_head and self._message_bytes > MAX_HEAD_BYTES:
            self._refusal = 431, b"The head is too large."
            self._break_off()
        elif self._message_timer is None:
            self._message_began = self.loop.time()
            self._message_timer = self.loop.call_later(GRACE_SECONDS, self._close_when_slow)

    def _break_off(self) -> None:
        """Refuse what can't be read, and close: at once, or after the answers to what was sent before it."""
        self._is_broken = True
        status, text = self._refusal
        self.logger.warning("a request is refused: %s", text.decode(), extra={"is_foreseen": True})
        is_begun = self._message_bytes is not None and not self.is_undecided
        if self.is_free or is_begun:
            self._refuse(status, text)
            return
        # The client has to hear of an order that was accepted: its answer is the last one.
        self.cycle.keep_alive = False
        self._message_bytes = None
        if self._message_timer:
            self._message_timer.cancel()

    def _parse_behind(self, data: memoryview, offer: HttpParserUpgrade | None) -> None:
        """Parse on behind heads that offer another protocol, which is taken for none."""
        while offer is not None:
            if self.parser.get_method() == b"CONNECT":
                raise HttpParserError from offer
            data = data[offer.args[0] :]
            offer = None
            self._parse_without_offer()
            try:
                if data:
                    self.parser.feed_data(data)
            except HttpParserUpgrade as another:
                offer = another

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
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def begin_scope(self) -> Any:
        """A new scope of ASGI, which routes don't need; what is being read stays as it is."""
        reading = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = reading
        return self.scope

    def on_header(self, name: bytes, value: bytes) -> None:
        # Fields behind a body are none of the head's.
        if self._is_head:
            self.headers.append((name.lower(), value.rstrip(OWS)))

    def on_headers_complete(self) -> None:
        # Offers another protocol: it is read once more.
        if self.parser.should_upgrade():
            return
        self.version = self.parser.get_http_version()
        self.fields = fields = head_fields.read_fields(self.headers)
        if b"upgrade" in fields or b"expect" in fields:
            self._read_offers(fields)
        if self.version != "1.1" or b"host" not in fields:
            self._refuse_head()
        self._is_head = False
        self.on_head()

    def _refuse_head(self) -> None:
        """Raise HttpParserError for another version of HTTP, or without a host (RFC 9112, 3.2)."""
        if self.version not in ("1.1", "1.0"):
            self._refusal = 505, b"This server speaks HTTP/1.1."
        elif self.version == "1.1":
            self._refusal = 400, b"The request names no host."
        else:
            return
        raise HttpParserError

    def on_head(self) -> None:
        """Take the request, whose head is there: to the application."""
        self.headers = self.begin_scope()["headers"] = list(self.fields.items())
        super().on_headers_complete()

    def _read_offers(self, fields: dict[bytes, bytes]) -> None:
        """Take an offer of another protocol for none; remember whether the client waits for "continue"."""
        fields.pop(b"upgrade", None)
        expectation = fields.pop(b"expect", None)
        if expectation is not None:
            self.expect_100_continue = self.version != "1.0" and head_fields.expects_continue(expectation)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._message_bytes = None
        if self._message_timer:
            self._message_timer.cancel()
            self._message_timer = None
        self.on_message()

    def on_message(self) -> None:
        """Take the message, which is whole: its end is the application's."""
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            if self.flow.read_paused:
                self.flow.resume_reading()
        if self._unparsed:
            self.flow.pause_reading()
            self.loop.call_soon(self._take_rest)

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
        waits = self.flow.read_paused or self.pipeline or (self.is_undecided and not self.is_free)
        rest = GRACE_SECONDS if waits else self._message_deadline() - self.loop.time()
        if rest > 0:
            self._message_timer = self.loop.call_later(rest, self._close_when_slow)
        elif self.is_undecided or not (self.is_free or getattr(self.cycle, "response_started", False)):
            self._refuse(408, b"The request took too long.")
        else:
            self._close()

    def _message_deadline(self) -> float:
        """The loop's time at which an incomplete message is cut."""
        if self._is_head:
            return self._message_began + GRACE_SECONDS
        if self.is_free and not self.is_undecided:
            # Answered before its body was there: what still comes is dropped until the client has noticed.
            return self._silent_since + GRACE_SECONDS
        allowed = GRACE_SECONDS + (self._message_bytes or 0) / MIN_BYTES_PER_SECOND
        return self._message_began + min(allowed, MAX_BODY_SECONDS)

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
