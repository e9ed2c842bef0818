"""Commands there and back for few callers with large calls, at a fraction of what a client's call costs.

    wire = client.awire("gateway")
    replies = await wire.submit([("EVALSHA", sha, 1, key), ("GET", other)])

A call of redis.asyncio's client takes 100 us of the event loop: a task for the deadline of its write, a turn
at the pool, packing in Python. The same library's connection needs none when its caller keeps the deadline.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol, cast

import hiredis
import redis.asyncio as aredis
from redis import exceptions
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.asyncio.connection import AbstractConnection

from apps.redis_kit.batching import Batcher
from apps.redis_kit.outages import UNAVAILABLE

Arg = str | int | float | bytes
Command = Sequence[Arg]
#: Callers that share an exchange.
MOST = 64
#: Exchanges at once: while one is read and answered, the server has the next.
AT_ONCE = 2


class Wire(Protocol):
    """What both kinds of wire do."""

    #: Whether keys of different slots need different commands.
    is_cluster: bool

    async def submit(self, commands: Sequence[Command]) -> list[Any]:
        """The replies in order, written and read together; a refusal by the server is a value among them.

        Raises one of client.UNAVAILABLE, within the deadline, when the server is away: then nobody knows
        which of the commands ran.
        """

    async def aclose(self) -> None: ...


class ServerWire:
    """Two connections to a server, or to the master that Sentinel names.

    Who asks while both are under way shares the next exchange, in which nobody needs to know of the others.
    """

    is_cluster = False

    def __init__(self, connected: aredis.Redis, *, deadline: float) -> None:
        self._connected, self._deadline = connected, deadline
        self._idle: list[AbstractConnection] = []
        self._turns = Batcher(self._exchange, max_batch=MOST, max_concurrent=AT_ONCE)

    async def submit(self, commands: Sequence[Command]) -> list[Any]:
        # The stub says "a tuple of one"; a command has as many words as it has.
        return await self._turns.submit([hiredis.pack_command(cast(Any, tuple(one))) for one in commands])

    async def _exchange(self, asked: Sequence[list[bytes]]) -> list[list[Any]]:
        """The replies to each one's commands."""
        connection = self._idle.pop() if self._idle else self._connected.connection_pool.make_connection()
        try:
            async with asyncio.timeout(self._deadline):
                replies = await _write_and_read(connection, asked)
        except TimeoutError:
            await connection.disconnect(nowait=True)
            raise exceptions.TimeoutError(f"no answer within {self._deadline} s") from None
        except BaseException as error:
            # Half of the replies may be on their way: the next caller must not take them for its own.
            await connection.disconnect(nowait=True)
            if isinstance(error, exceptions.RedisError) and not isinstance(error, UNAVAILABLE):
                # Asked one by one, those whose commands ran would run them again.
                raise exceptions.ConnectionError(f"unreadable: {error}") from error
            raise
        self._idle.append(connection)
        return replies

    async def aclose(self) -> None:
        for connection in self._idle:
            await connection.disconnect()
        await self._connected.aclose()


class ClusterWire:
    """A cluster: the commands of each node together, each with keys of one slot."""

    is_cluster = True

    def __init__(self, connected: AsyncRedisCluster, *, deadline: float) -> None:
        self._connected, self._deadline = connected, deadline

    async def submit(self, commands: Sequence[Command]) -> list[Any]:
        pipe = self._connected.pipeline()
        for command in commands:
            pipe.execute_command(*command)
        try:
            async with asyncio.timeout(self._deadline):
                return list(await pipe.execute(raise_on_error=False))
        except TimeoutError:
            raise exceptions.TimeoutError(f"no answer within {self._deadline} s") from None

    async def aclose(self) -> None:
        await self._connected.aclose()


def of(connected: aredis.Redis | AsyncRedisCluster, *, deadline: float) -> Wire:
    """The wire of a client, which it closes with itself; the client's own socket timeout must be off."""
    if isinstance(connected, AsyncRedisCluster):
        return ClusterWire(connected, deadline=deadline)
    return ServerWire(connected, deadline=deadline)


async def _write_and_read(connection: AbstractConnection, asked: Sequence[list[bytes]]) -> list[list[Any]]:
    # Whatever can be read before anything was asked is the server's goodbye.
    if connection.is_connected and await connection.can_read():
        await connection.disconnect(nowait=True)
    await connection.send_packed_command([packed for commands in asked for packed in commands])
    return [[await _reply(connection) for _ in commands] for commands in asked]


async def _reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response()
    except exceptions.ResponseError as refusal:
        return refusal
