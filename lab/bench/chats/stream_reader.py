"""A client of a live stream that keeps what it got, and when."""

import asyncio
import json
import re
import time

_EVENT = re.compile(rb"id: (\S+)\nevent: (\S+)\ndata: (.*)\n\n")


class Reader:
    """One open stream: what it got, and when."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self.host, self.port, self.token = host, port, token
        self.last_id, self.numbers, self.delays = "", list[int](), list[float]()
        self.repeats = self.resets = 0
        self._task: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()

    async def connect(self) -> None:
        self.ready.clear()
        reader, self._writer = await asyncio.open_connection(self.host, self.port)
        last = f"last-event-id: {self.last_id}\r\n" if self.last_id else ""
        head = f"GET /api/live HTTP/1.1\r\nhost: {self.host}:{self.port}\r\naccept: text/event-stream\r\n"
        self._writer.write(f"{head}authorization: Bearer {self.token}\r\n{last}\r\n".encode())
        self._task = asyncio.create_task(self._read(reader))
        await asyncio.wait_for(self.ready.wait(), 120)

    async def drop(self) -> None:
        """Lose the connection, as in a tunnel."""
        self._writer.transport.abort()
        if self._task:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        kept = b""
        while part := await reader.read(65536):
            kept += part
            end = kept.rfind(b"\n\n") + 2
            if end < 2:
                continue
            for event_id, name, data in _EVENT.findall(kept[:end]):
                self._take(event_id.decode(), name, data)
            kept = kept[end:]

    def _take(self, event_id: str, name: bytes, data: bytes) -> None:
        self.last_id = event_id
        if name == b"ready":
            self.ready.set()
        elif name == b"reset":
            self.take_reset()
        elif name == b"chat":
            told = json.loads(data)["message"]
            self.take_number(told["number"], float(told["text"]))

    def take_reset(self) -> None:
        """The stream can't tell what was missed."""
        self.resets += 1

    def take_number(self, number: int, sent_at: float) -> None:
        """A message came."""
        if self.numbers and number <= self.numbers[-1]:
            self.repeats += 1
            return
        self.numbers.append(number)
        self.delays.append(time.time() - sent_at)
