"""The route of live streams: finds who may read what, counts streams by address, feeds them by the hub.

An event for thousands of streams is one run of bytes, which is written to each: 12 microseconds, where ASGI
would wake a task, make a message and frame a chunk.
"""

import asyncio
import logging
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qs

from django.conf import settings

from apps.front.live.hub import Hub
from apps.front.live.polled_states import PolledStates, Render
from apps.front.live.streams import Stream, Translate
from apps.front.live.topics import Topic
from apps.front.route import Exchange, Message
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.web import client_address

EVENT_STREAM = b"text/event-stream"
#: The connection ends with the stream, so that its bytes need no framing. nginx would buffer them otherwise.
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: private, no-store\r\n"
    b"cross-origin-resource-policy: same-origin\r\nx-content-type-options: nosniff\r\n"
    b"x-accel-buffering: no\r\n"
)
#: Milliseconds after which a browser connects again: spread, so that not all come at once.
MIN_RETRY, MAX_RETRY = 1_000, 4_000
log = logging.getLogger(__name__)


class LiveRequest(NamedTuple):
    """A request for a stream: the id in its path, its parameters, the fields of its head, and whose it is."""

    subject: int
    params: dict[str, str]
    fields: Mapping[bytes, bytes]
    log_in: object = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a stream sends: topics, and polled subjects. `snapshot` gives the first bytes once it is fed."""

    user_id: int = 0
    topics: tuple[Topic, ...] = ()
    subjects: tuple[int, ...] = ()
    render: Render | None = None
    translate: Translate | None = None
    snapshot: Callable[[], bytes] | None = None


#: Decides in a thread with SQL; None leaves the request to Django.
Planner = Callable[[LiveRequest], Plan | None]
#: The log-in that the fields of a head bring, None for nobody's.
FindLogIn = Callable[[Mapping[bytes, bytes]], Awaitable[object]]


class StreamKind(NamedTuple):
    """Streams of one kind: the pattern of their paths, whose group is a row's id, and their planner.

    Django refuses a request with other `params`.
    """

    name: str
    pattern: str
    plan: Planner
    params: frozenset[str] = frozenset()
    is_for_everybody: bool = False


class LiveRoute:
    """The streams of a process. A program's stream is Django's to answer where it gets none.

    `find_log_in` is asked before the planner, unless the streams of a kind are for everybody.
    """

    methods = (b"GET",)

    def __init__(
        self, kinds: Iterable[StreamKind], *, polled: PolledStates, find_log_in: FindLogIn | None = None
    ) -> None:
        self.hub, self.polled, self._find_log_in = Hub(), polled, find_log_in
        self._kinds = [(re.compile(kind.pattern), kind) for kind in kinds]
        self._sql = SqlThreads(2, "live-sql")
        self._per_network: Counter[str] = Counter()

    def read(self, message: Message) -> "Opening | None":
        """The stream that a request wants and may have by its limits."""
        if EVENT_STREAM not in message.fields.get(b"accept", b""):
            return None
        path, _, query = message.target.decode("latin-1").partition("?")
        for pattern, kind in self._kinds:
            if match := pattern.fullmatch(path):
                params = {
                    name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()
                }
                if params.keys() - kind.params:
                    return None
                request = LiveRequest(int(match[1]) if match.groups() else 0, params, message.fields)
                opening = Opening(self, kind, request, _network(message))
                return None if self._is_full(opening.network) else opening
        return None

    def answer(self, opening: "Opening", exchange: Exchange) -> None:
        """Plan the stream, open and feed it, or leave the request to Django."""
        opening.count()
        exchange.call_when_lost(opening.close)
        exchange.run(self._open(opening, exchange))

    def answer_failure(self, opening: "Opening", error: Exception) -> None:
        """Django answers."""
        log.error("a live stream of %s was not opened", opening.kind.name, exc_info=error)

    def count(self, network: str, step: int) -> None:
        """Count a stream of an address, or one less."""
        self._per_network[network] += step
        if not self._per_network[network]:
            del self._per_network[network]

    def close(self, stream: Stream) -> None:
        """Forget a stream whose connection is closed."""
        self.hub.remove(stream)
        self.polled.remove(stream)

    async def aclose(self) -> None:
        """End all tasks, for tests."""
        for stream in list(self.hub.streams):
            stream.end()
            self.close(stream)
        await self.hub.aclose()

    async def _open(self, opening: "Opening", exchange: Exchange) -> None:
        plan = await self._plan(opening)
        if exchange.done() or not opening.is_counted:
            return
        if plan is None:
            opening.close()
            exchange.call_when_lost(None)
            exchange.set_result(None)
            return
        retry = b"retry: %d\n\n" % random.randint(MIN_RETRY, MAX_RETRY)
        exchange.open_stream(HEAD, retry, route=f"stream:{opening.kind.name}")
        try:
            await self._feed(opening, plan, exchange)
        except Exception:
            log.exception("a live stream failed")
            exchange.cut()

    async def _plan(self, opening: "Opening") -> Plan | None:
        """What the planner decides; None when SQL or Redis is away."""
        request = opening.request
        try:
            if self._find_log_in and not opening.kind.is_for_everybody:
                request = request._replace(log_in=await self._find_log_in(request.fields))
            found: Plan | None = await self._sql.run(opening.kind.plan, request)
        except Exception:
            log.exception("a live stream could not be planned")
            return None
        return found

    async def _feed(self, opening: "Opening", plan: Plan, exchange: Exchange) -> None:
        """Feed an open stream from now on."""
        stream = opening.begin(plan, exchange)
        self.hub.add(stream)
        if plan.topics:
            try:
                await self.hub.open(stream, plan.topics, opening.last_event_id)
            except client.UNAVAILABLE as error:
                log.warning("a live stream can't be fed, Redis is away: %s", error)
                stream.end()
                return
        if plan.snapshot:
            stream.send(await self._sql.run(plan.snapshot))
        for subject in plan.subjects:
            if plan.render and not stream.is_closed:
                self.polled.add(stream, subject, plan.render)

    def _is_full(self, network: str) -> bool:
        """Whether the process, or this address, has as many streams as it may."""
        is_busy: bool = self._per_network.total() >= settings.STREAMS_PER_PROCESS
        return is_busy or self._per_network[network] >= settings.STREAMS_PER_ADDRESS


class Opening:
    """A stream on its way: it counts for its address until it is closed."""

    __slots__ = ("_route", "_stream", "is_counted", "kind", "last_event_id", "network", "request")

    def __init__(self, route: LiveRoute, kind: StreamKind, request: LiveRequest, network: str) -> None:
        self._route, self.kind, self.request, self.network = route, kind, request, network
        self.last_event_id = request.fields.get(b"last-event-id", b"").decode("latin-1")
        self._stream: Stream | None = None
        self.is_counted = False

    def count(self) -> None:
        """Count it from now on."""
        self.is_counted = True
        self._route.count(self.network, 1)

    def begin(self, plan: Plan, exchange: Exchange) -> Stream:
        """The stream, whose head is written; what was asked is forgotten."""
        self.request = LiveRequest(0, {}, {})
        now = asyncio.get_running_loop().time()
        self._stream = Stream(exchange, user_id=plan.user_id, now=now, translate=plan.translate)
        return self._stream

    def close(self) -> None:
        """Forget it; again is fine."""
        if self.is_counted:
            self.is_counted = False
            self._route.count(self.network, -1)
        if self._stream:
            self._route.close(self._stream)


def _network(message: Message) -> str:
    forwarded = message.fields.get(b"x-forwarded-for", b"").decode("latin-1")
    return client_address.site_network(client_address.forwarded_ip(message.peer, forwarded))
