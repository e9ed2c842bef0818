"""One subscription of a process: a task owns its connection, and begins again whenever it is lost.

    events = Subscription("live", on_message=deliver, on_resumed=catch_up)
    await events.subscribe(["savor:live:u7"])       returns when the server has confirmed it

redis-py's PubSub can't subscribe while another task reads from it; a connection's two directions can.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import redis.asyncio as aredis
from redis.asyncio.connection import AbstractConnection

from apps.redis_kit import client, transport

#: Seconds of silence after which the server is asked whether it is there, and in which it confirms.
QUIET_SECONDS, CONFIRM_SECONDS = 10.0, 5.0
#: Seconds before a lost connection is made again: doubled each time, spread at random.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.1, 5.0
#: Channels of one command.
MAX_COMMAND_CHANNELS = 500
LOST = (*client.UNAVAILABLE, OSError, TimeoutError)
log = logging.getLogger(__name__)


class Subscription:
    """Calls `on_message(channel, text)` in order; `on_resumed()` after a loss, before the next message."""

    def __init__(
        self,
        connection_name: str,
        *,
        on_message: Callable[[str, str], Awaitable[None]],
        on_resumed: Callable[[], Awaitable[None]],
    ) -> None:
        self._name, self._on_message, self._on_resumed = connection_name, on_message, on_resumed
        self._confirmed: dict[str, asyncio.Future[None]] = {}
        self._connection: AbstractConnection | None = None
        self._owner: asyncio.Task[None] | None = None
        #: How often the connection was lost.
        self.losses = 0

    async def subscribe(self, channels: Iterable[str]) -> None:
        """Subscribe and wait for the server's word; TimeoutError when it doesn't come."""
        wanted = list(channels)
        new = [channel for channel in wanted if channel not in self._confirmed]
        for channel in new:
            self._confirmed[channel] = asyncio.get_running_loop().create_future()
        if self._owner is None or self._owner.done():
            self._owner = asyncio.create_task(self._own())
        if new and self._connection:
            await self._send(self._connection, "SUBSCRIBE", new)
        futures = [self._confirmed[channel] for channel in wanted if channel in self._confirmed]
        async with asyncio.timeout(CONFIRM_SECONDS):
            await asyncio.gather(*map(asyncio.shield, futures))

    async def unsubscribe(self, channel: str) -> None:
        """Hear no more of a channel."""
        self._confirmed.pop(channel, None)
        if self._connection:
            await self._send(self._connection, "UNSUBSCRIBE", [channel])

    async def aclose(self) -> None:
        """End the task and its connection."""
        if self._owner:
            self._owner.cancel()
            await asyncio.gather(self._owner, return_exceptions=True)

    async def _own(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await self._listen()
            except LOST as error:
                log.warning("the subscription to Redis was lost: %s", error)
            except Exception:
                log.exception("the reader of the subscription to Redis failed; it starts again")
            self.losses += 1
            if asyncio.get_running_loop().time() - began > MAX_PAUSE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    async def _listen(self) -> None:
        connection = await _connect(self._name)
        try:
            is_resumed = any(future.done() for future in self._confirmed.values())
            self._confirmed = {channel: _renew(future) for channel, future in self._confirmed.items()}
            self._connection = connection
            await self._send(connection, "SUBSCRIBE", list(self._confirmed))
            if is_resumed:
                await self._resume(connection)
            while True:
                await self._handle(await _read(connection))
        finally:
            self._connection = None
            await connection.disconnect(nowait=True)

    async def _resume(self, connection: AbstractConnection) -> None:
        """Wait until all is subscribed again, have the history read, then deliver what arrived since."""
        came: list[list[Any]] = []
        while not all(future.done() for future in self._confirmed.values()):
            reply = await _read(connection)
            if reply[0] == "message":
                came.append(reply)
            else:
                await self._handle(reply)
        await self._on_resumed()
        for reply in came:
            await self._handle(reply)

    async def _handle(self, reply: list[Any]) -> None:
        kind, channel = reply[0], reply[1]
        if kind == "message":
            await self._on_message(channel, reply[2])
        elif kind == "subscribe" and channel in self._confirmed and not self._confirmed[channel].done():
            self._confirmed[channel].set_result(None)

    async def _send(self, connection: AbstractConnection, name: str, channels: list[str]) -> None:
        if not connection.is_connected:
            # It was just lost: the next one subscribes to all channels.
            return
        for start in range(0, len(channels), MAX_COMMAND_CHANNELS):
            command = (name, *channels[start : start + MAX_COMMAND_CHANNELS])
            await connection.send_packed_command(transport.pack([command]), check_health=False)


def _renew(future: "asyncio.Future[None]") -> "asyncio.Future[None]":
    """A future for the next confirmation; who waits for the first one goes on waiting for it."""
    return asyncio.get_running_loop().create_future() if future.done() else future


async def _connect(name: str) -> AbstractConnection:
    """A connection of its own to the server, or to any node of a cluster, which passes all messages on."""
    connected: Any = client.aget(name)
    if isinstance(connected, aredis.RedisCluster):
        await connected.initialize()
        node = connected.get_random_node()
        options: dict[str, Any] = {
            "decode_responses": True,
            "protocol": 2,
            "socket_connect_timeout": CONFIRM_SECONDS,
        }
        connected = aredis.Redis(host=node.host, port=int(node.port), **options)
    connection: AbstractConnection = connected.connection_pool.make_connection()
    await connection.connect()
    return connection


async def _read(connection: AbstractConnection) -> list[Any]:
    """The next reply; TimeoutError when the server doesn't answer a question either."""
    reply = await connection.read_response(timeout=QUIET_SECONDS)
    if reply is None:
        await connection.send_packed_command(transport.pack([("PING",)]), check_health=False)
        reply = await connection.read_response(timeout=CONFIRM_SECONDS)
    if reply is None:
        raise TimeoutError("the server is silent")
    return list(reply)
