"""An HTTP protocol for uvicorn that writes live streams to the socket, without ASGI.

An event for thousands of streams is one run of bytes, which is written to each: 12 microseconds, where ASGI
would wake a task, make a message and frame a chunk.
"""

import logging
import random
from typing import ClassVar

from apps.front.live.server import EVENT_STREAM, LiveServer, Opening
from apps.front.protocol import DirectHttpProtocol

#: The connection ends with the stream, so that its bytes need no framing. nginx would buffer them otherwise.
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: private, no-store\r\n"
    b"cross-origin-resource-policy: same-origin\r\nx-content-type-options: nosniff\r\n"
    b"x-accel-buffering: no\r\nconnection: close\r\n"
)
#: Milliseconds after which a browser connects again: spread, so that not all come at once.
MIN_RETRY, MAX_RETRY = 1_000, 4_000
log = logging.getLogger(__name__)


class LiveProtocol(DirectHttpProtocol):
    """One connection, and the sink of the stream that it asked for (live.streams.Sink)."""

    live: ClassVar[LiveServer]
    _opening: Opening | None = None

    @property
    def is_slow(self) -> bool:
        return bool(self.flow.write_paused)

    def on_head(self) -> None:
        opening = self._find_stream()
        if opening is None:
            super().on_head()
            return
        self._opening = opening
        self.begin_direct(opening.route)
        task = self.loop.create_task(self._open(opening))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._opening:
            self._opening.close()
            self._opening = None
        super().connection_lost(exc)

    def shutdown(self) -> None:
        if self._opening:
            self.end()
        else:
            super().shutdown()

    def write_chunk(self, chunk: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(chunk)

    def end(self) -> None:
        self._close()

    def cut(self) -> None:
        self.transport.abort()

    def _find_stream(self) -> Opening | None:
        is_wanted = EVENT_STREAM in self.fields.get(b"accept", b"")
        if not is_wanted or self.parser.get_method() != b"GET" or not self.may_answer_directly:
            return None
        return self.live.find(self.url, self.fields, (self.client or ("",))[0])

    async def _open(self, opening: Opening) -> None:
        plan = await opening.plan()
        if self._direct.disconnected or self.transport.is_closing():
            return
        if plan is None:
            self._leave_to_django(opening)
            return
        self._silence_timer.cancel()
        retry = b"retry: %d\n\n" % random.randint(MIN_RETRY, MAX_RETRY)
        self.write_chunk(b"%b%b\r\n%b" % (HEAD, self._server_lines(), retry))
        self.notify_observers(200, None)
        try:
            await opening.feed(plan, self)
        except Exception:
            log.exception("a live stream failed")
            self.cut()

    def _leave_to_django(self, opening: Opening) -> None:
        """Have the application answer the request after all: it is whole, and uvicorn has its head."""
        opening.close()
        self._opening = None
        self._direct.response_complete = True
        super().on_head()
        if self.cycle:
            self.cycle.more_body = False
            self.cycle.message_event.set()
