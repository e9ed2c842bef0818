"""A client's end of live streams, over the site's protocol class, without a server or a socket."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import redis
from asgiref.sync import sync_to_async
from django.db import connection

from apps.chat.live_topics import list_topics
from apps.coupons.gateway import streaming
from apps.front.live.route import LiveRoute
from apps.redis_kit import client
from config import asgi
from tests.protocol_client import Connection
from tests.redis_nodes import redis_urls

_EVENT = re.compile(r"(?:id: (.*)\n)?(?:event: (.*)\n)?data: (.*)\n\n")
#: Seconds that a test waits for something; only a fault makes it wait so long.
PATIENCE = 60


class LiveEvent(NamedTuple):
    """One event: its id and its name, which plain streams don't have, and its data."""

    id: str
    name: str
    data: dict[str, Any]


class LiveClient:
    """One open stream."""

    def __init__(self, route: LiveRoute, path: str, *headers: tuple[str, str]) -> None:
        self.connection = Connection(route, application=asgi.bridge)
        lines = [f"GET {path} HTTP/1.1", "host: testserver", "accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in headers]
        self.connection.send("\r\n".join([*lines, "", ""]).encode())
        self._read = 0

    @property
    def text(self) -> str:
        """Everything received so far."""
        return bytes(self.connection.transport.written).decode()

    @property
    def events(self) -> list[LiveEvent]:
        """All events received so far."""
        body = self.text.partition("\r\n\r\n")[2]
        found = _EVENT.findall(body)
        return [LiveEvent(event_id, name, json.loads(data)) for event_id, name, data in found]

    async def status(self) -> int:
        """The status of the answer, once there is one."""
        await self.wait_until(lambda: "\r\n\r\n" in self.text)
        return int(self.text.split(" ", 2)[1])

    async def next(self, name: str = "") -> LiveEvent:
        """The next event of that name, or of any."""
        while True:
            await self.wait_until(lambda: len(self.events) > self._read)
            event = self.events[self._read]
            self._read += 1
            if not name or event.name == name:
                return event

    async def wait_until(self, is_true: Callable[[], object]) -> None:
        """Let the event loop run until a condition holds."""
        async with asyncio.timeout(PATIENCE):
            while not is_true():
                await asyncio.sleep(0.005)

    def leave(self) -> None:
        """Close the connection from the client's side."""
        self.connection.leave()


@asynccontextmanager
async def serving() -> AsyncIterator[LiveRoute]:
    """The live streams of one process."""
    route = streaming.build_route(list_topics)
    try:
        yield route
    finally:
        await route.aclose()
        await client.aclose_all()


@sync_to_async
def run_in_thread(act: Callable[[], Any]) -> Any:
    """Run what uses SQL in the loop's thread for such things, which must keep no connection."""
    try:
        return act()
    finally:
        connection.close()


def cut_subscriptions(connected: redis.Redis) -> None:
    """Have the server, or each node of a Cluster, close its connections of subscribers."""
    for server in redis_urls.list_servers(connected):
        server.client_kill_filter(_type="pubsub")
