"""What `uvicorn --http` names: HTTP/1.1 whose heads come to an end, in size and in time.

uvicorn keeps as much of a head as is sent, waits for ever for a connection's first request, and sets a timer
after each; here one timer a connection looks how long it has been silent.
"""

from asyncio import TimerHandle
from typing import Any

from django.conf import settings

from config import asgi

#: Bytes of a request line with its headers; nginx passes on 32 KiB.
MAX_HEAD_BYTES = 64 * 1024

# After Django's setup in config.asgi: a process of several is told the protocol before the application.
from apps.coupons.gateway.claim_protocol import ClaimProtocol  # noqa: E402


class Protocol(ClaimProtocol):
    """One connection; `--timeout-keep-alive` is how long it may take until its next head is there."""

    gateway, is_open = asgi.gateway, settings.SALE_GATEWAY
    _head: int | None = None
    _look: TimerHandle

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._look = self.loop.call_later(self.timeout_keep_alive, self._look_after)

    def connection_lost(self, exc: Exception | None) -> None:
        self._look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MAX_HEAD_BYTES:
                self.send_400_response("Too many headers.")

    def on_message_begin(self) -> None:
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head = None
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()

    def _look_after(self) -> None:
        rest = self._silent_since + self.timeout_keep_alive - self.loop.time()
        if not self.is_free:
            rest = self.timeout_keep_alive
        if rest > 0:
            self._look = self.loop.call_later(rest, self._look_after)
        else:
            self.transport.close()
