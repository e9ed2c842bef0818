"""Opens live streams: finds who may read what, counts the streams of an address, feeds them by the hub."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qs

from django.conf import settings

from apps.front.live.hub import Hub
from apps.front.live.polled_states import PolledStates, Render
from apps.front.live.streams import Sink, Stream, Translate
from apps.front.live.topics import Topic
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.web import client_address

EVENT_STREAM = b"text/event-stream"
log = logging.getLogger(__name__)


class LiveRequest(NamedTuple):
    """A request for a stream: the id in its path, its parameters, and the fields of its head."""

    subject: int
    params: dict[str, str]
    fields: Mapping[bytes, bytes]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a stream is told: topics, and polled subjects. `snapshot` gives the first bytes once it is fed."""

    user_id: int = 0
    topics: tuple[Topic, ...] = ()
    subjects: tuple[int, ...] = ()
    render: Render | None = None
    translate: Translate | None = None
    snapshot: Callable[[], bytes] | None = None


#: Decides in a thread with SQL; None leaves the request to Django.
Planner = Callable[[LiveRequest], Plan | None]


class LiveServer:
    """The streams of a process. `routes` are patterns of paths, of which a group may be a row's id."""

    def __init__(self, routes: Mapping[str, Planner], *, polled: PolledStates) -> None:
        self.hub, self.polled = Hub(), polled
        self._routes = [(re.compile(pattern), planner) for pattern, planner in routes.items()]
        self._sql = SqlThreads(2, "live-sql")
        self._per_network: Counter[str] = Counter()

    def find(self, url: bytes, fields: Mapping[bytes, bytes], peer: str) -> "Opening | None":
        """The stream that a request wants and may have by its limits; None when it is Django's."""
        if EVENT_STREAM not in fields.get(b"accept", b""):
            return None
        path, _, query = url.decode("latin-1").partition("?")
        for pattern, planner in self._routes:
            match = pattern.fullmatch(path)
            if match:
                params = {name: values[-1] for name, values in parse_qs(query).items()}
                network = client_address.site_network(
                    client_address.forwarded_ip(peer, fields.get(b"x-forwarded-for", b"").decode("latin-1"))
                )
                subject = int(match[1]) if match.groups() else 0
                return (
                    None
                    if self._is_full(network)
                    else Opening(self, planner, LiveRequest(subject, params, fields), network)
                )
        return None

    def _is_full(self, network: str) -> bool:
        """Whether the process, or this address, has as many streams as it may."""
        is_busy: bool = self._per_network.total() >= settings.STREAMS_PER_PROCESS
        return is_busy or self._per_network[network] >= settings.STREAMS_PER_ADDRESS

    def count(self, network: str, step: int) -> None:
        """Count a stream of an address, or one less."""
        self._per_network[network] += step
        if not self._per_network[network]:
            del self._per_network[network]

    async def plan(self, planner: Planner, request: LiveRequest) -> Plan | None:
        """What the planner decides; None when SQL or Redis is away."""
        try:
            found: Plan | None = await self._sql.run(planner, request)
        except Exception:
            log.exception("a live stream could not be planned")
            return None
        return found

    async def feed(self, stream: Stream, plan: Plan, last_event_id: str) -> None:
        """Feed an open stream from now on."""
        self.hub.add(stream)
        if plan.topics:
            try:
                await self.hub.open(stream, plan.topics, last_event_id)
            except client.UNAVAILABLE as error:
                log.warning("a live stream can't be fed, Redis is away: %s", error)
                stream.end()
                return
        if plan.snapshot:
            stream.send(await self._sql.run(plan.snapshot))
        for subject in plan.subjects:
            if plan.render and not stream.is_closed:
                self.polled.add(stream, subject, plan.render)

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


class Opening:
    """A stream on its way: it counts for its address until it is closed."""

    __slots__ = ("_is_counted", "_planner", "_server", "network", "request", "stream")

    def __init__(self, server: LiveServer, planner: Planner, request: LiveRequest, network: str) -> None:
        self._server, self._planner, self.request, self.network = server, planner, request, network
        self.stream: Stream | None = None
        self._is_counted = True
        server.count(network, 1)

    @property
    def route(self) -> str:
        """The name of the stream's route: a program's is Django's, as that answers where there is none."""
        return f"stream:{self._planner.__name__.removeprefix('plan_')}"

    async def plan(self) -> Plan | None:
        """What the stream is told; None leaves the request to Django."""
        return await self._server.plan(self._planner, self.request)

    async def feed(self, plan: Plan, sink: Sink) -> None:
        """Feed the connection."""
        now = asyncio.get_running_loop().time()
        self.stream = Stream(sink, user_id=plan.user_id, now=now, translate=plan.translate)
        fields, self.request = self.request.fields, LiveRequest(0, {}, {})
        await self._server.feed(self.stream, plan, fields.get(b"last-event-id", b"").decode("latin-1"))

    def close(self) -> None:
        """Forget it; again is fine."""
        if self._is_counted:
            self._is_counted = False
            self._server.count(self.network, -1)
        if self.stream:
            self._server.close(self.stream)
