"""One browser's visit to a flash sale: its page, its stream, its press."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from tests.crowd import people
from tests.crowd.http_connection import ConnectionLost, HttpConnection, Reply
from tests.crowd.request_templates import RequestTemplate, request_key
from tests.crowd.tally import Tally

#: The steps of a visit; each has a tally.
PAGE, PERSONAL, PRESS, ORDER = STEPS = ("page", "personal part", "press", "see the order")
JOURNEYS, STREAMS = people.journey(), people.streams()
#: Statuses after which a page's script presses again by itself, and the seconds until then.
RETRY_STATUSES, RETRY_SECONDS = {429, 503}, 1.0
#: Seconds that one answer may take, and a press with all its repetitions.
ANSWER_SECONDS, PRESS_SECONDS = 15.0, 30.0
SOLD_OUT = b'"left": 0}'


@dataclass(frozen=True)
class Visits:
    """What one process's people do. `first` numbers them; times are unix seconds."""

    base_url: str
    voucher_id: int
    tokens: Sequence[str]
    first: int
    opens_at: float
    open_seconds: float
    begins_at: float
    #: Within which everybody presses.
    rush_seconds: float = 1.0


@dataclass
class Counts:
    """What a process's people have seen."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {step: Tally() for step in STEPS})
    in_flight: int = 0
    #: How often somebody was told to wait, or lost the connection, and pressed again.
    pressed_again: int = 0


class Stream(asyncio.Protocol):
    """A connection with the stream of a sale's stock; `is_open` while it stands."""

    def __init__(self, request: bytes) -> None:
        self._request, self._head, self._last = request, b"", b""
        self.is_open = False
        self.opened = asyncio.get_running_loop().create_future()

    @property
    def is_sold_out(self) -> bool:
        """Whether the last thing it said is that nothing is left."""
        return SOLD_OUT in self._last

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if b'"left"' in data:
            self._last = data
        if not self.opened.done():
            self._head += data
            if b"\r\n\r\n" in self._head:
                self.is_open = b" 200 " in self._head[:20] and b"text/event-stream" in self._head
                self.opened.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if not self.opened.done():
            self.opened.set_result(None)


class Browser:
    """One person's browser, at an address of its own."""

    def __init__(self, visits: Visits, number: int, counts: Counts) -> None:
        self._visits, self._counts, self._person = visits, counts, visits.first + number
        self._token = visits.tokens[number]
        self._page, self._part, self._claim, self._order = JOURNEYS[self._person % len(JOURNEYS)]
        self._line: HttpConnection | None = None
        self.stream: Stream | None = None

    async def visit(self) -> None:
        """Open the page within its time, hold the stream, press in the sale's first moments."""
        visits = self._visits
        await _sleep_until(visits.opens_at + random.uniform(0, visits.open_seconds))
        for step, template in ((PAGE, self._page), (PERSONAL, self._part)):
            await self._count(step, self._request(template))
        await self._open_stream()
        claim = self._request(self._claim)
        await _sleep_until(visits.begins_at + random.uniform(0, visits.rush_seconds))
        if await self._press(claim):
            await self._count(ORDER, self._request(self._order))

    def close(self) -> None:
        """Close what is open."""
        if self._line:
            self._line.close()
        if self.stream and self.stream.is_open:
            self.stream.transport.abort()

    async def _press(self, claim: bytes) -> bool:
        """Press until there is a final answer; return whether it is an order."""
        tally, began = self._counts.tallies[PRESS], time.perf_counter()
        while time.perf_counter() - began < PRESS_SECONDS:
            reply = await self._ask(claim)
            if reply and reply.status not in RETRY_STATUSES:
                return self._note(reply, time.perf_counter() - began)
            self._counts.pressed_again += 1
            wait = max(reply.retry_after if reply else 0.0, RETRY_SECONDS)
            await asyncio.sleep(wait + random.uniform(0, 0.5))
        tally.gave_up += 1
        return False

    def _note(self, reply: Reply, seconds: float) -> bool:
        tally = self._counts.tallies[PRESS]
        tally.add("201" if reply.status == 201 else f"{reply.status} {reply.code}".strip(), seconds)
        if reply.order_id:
            tally.promise(self._person, reply.order_id)
        return bool(reply.order_id)

    async def _count(self, step: str, request: bytes) -> None:
        """Send a request and count its answer, whose time begins with the connection."""
        began = time.perf_counter()
        reply = await self._ask(request)
        tally = self._counts.tallies[step]
        if reply:
            tally.add(str(reply.status), time.perf_counter() - began)
        else:
            tally.gave_up += 1

    async def _ask(self, request: bytes) -> Reply | None:
        """Return the answer, on the page's connection or on a new one; None when there was none."""
        self._counts.in_flight += 1
        try:
            if self._line is None or self._line.transport is None or self._line.transport.is_closing():
                self._line = await HttpConnection.open(*self._address, source=source_address(self._person))
            return await self._line.ask(request, seconds=ANSWER_SECONDS)
        except ConnectionLost:
            self._line = None
            return None
        finally:
            self._counts.in_flight -= 1

    async def _open_stream(self) -> None:
        request = self._request(STREAMS[self._person % len(STREAMS)][0])
        source = (source_address(self._person), 0)
        try:
            _, stream = await asyncio.get_running_loop().create_connection(
                lambda: Stream(request), *self._address, local_addr=source
            )
        except OSError:
            return
        await stream.opened
        self.stream = stream

    def _request(self, template: RequestTemplate) -> bytes:
        visits, key = self._visits, request_key("browser-", self._person)
        host = urlsplit(visits.base_url).netloc
        return template.fill(host, sale=visits.voucher_id, token=self._token, person=self._person, key=key)

    @property
    def _address(self) -> tuple[str, int]:
        address = urlsplit(self._visits.base_url)
        return address.hostname or "", address.port or 80


def source_address(person: int) -> str:
    """Return a loopback address of one's own, by which limits tell people apart."""
    return f"127.{1 + (person >> 16)}.{person >> 8 & 255}.{person & 255}"


async def _sleep_until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.time()))
