"""uvicorn's HTTP/1.1 protocol with an end to each head, in bytes and in time.

uvicorn keeps as much of a head as a client sends, waits for ever for a connection's first request, and sets
a timer after each later one. Here one timer a connection checks how long it has been silent.
"""

from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import get_local_addr, get_remote_addr, is_ssl

#: Bytes of a request line with its headers; nginx passes on 32 KiB.
MAX_HEAD_BYTES = 64 * 1024


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection; `--timeout-keep-alive` is how many seconds it may take until its next head is there."""

    cycle: Any
    #: Bytes received since the head began, None outside of a head.
    _head_bytes: int | None = None
    _silence_timer: TimerHandle

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
        self._silence_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response("Too many headers.")

    def on_message_begin(self) -> None:
        self._head_bytes = 0
        if self.client is None:
            self.server, self.client = get_local_addr(self.transport), get_remote_addr(self.transport)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_bytes = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        # A subclass that answers a request itself doesn't pass its complete headers on to here.
        self._head_bytes = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()

    def _close_when_silent(self) -> None:
        rest = self._silent_since + self.timeout_keep_alive - self.loop.time()
        if not self.is_free:
            rest = self.timeout_keep_alive
        if rest > 0:
            self._silence_timer = self.loop.call_later(rest, self._close_when_silent)
        else:
            self.transport.close()
