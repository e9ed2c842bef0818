"""The two kinds of `transport.AsyncTransport`: to one server, and to a cluster.

    replies = await client.async_transport("gateway").execute_many([("EVALSHA", sha, 1, key), ("GET", other)])

A call of redis.asyncio's client takes 100 us of the event loop: a task for the deadline of its write, a turn
at the pool, packing in Python. The same library's connection needs none when its caller keeps the deadline.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, cast

import hiredis
import redis.asyncio as aredis
from redis import exceptions
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.sentinel import SentinelManagedConnection

from apps.redis_kit import breaker
from apps.redis_kit.batching import Batcher
from apps.redis_kit.connections.nodes import CURRENT_CALL, NodeCall
from apps.redis_kit.transport import UNAVAILABLE, AsyncTransport, Command

#: Callers whose commands share an exchange.
MAX_BATCH_CALLERS = 64
#: Exchanges at once, each on a connection of its own: while one is read, the server has the next.
MAX_CONCURRENT_EXCHANGES = 2
#: The clock is read so often in the time of a deadline; of it a turn of the loop counts for a part at most.
DEADLINE_STEPS, MAX_TURN_PART = 10, 0.2
#: After these another node may serve the slots of the one that was asked.
NODE_LOST = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ClusterError,
    exceptions.SlotNotCoveredError,
)


class ServerTransport:
    """Two connections to a server, or to the master that Sentinel names.

    Callers that come while both are in use share the next exchange; each gets its own replies.
    """

    is_cluster = False

    def __init__(self, connected: aredis.Redis, *, deadline: float) -> None:
        self._connected, self._deadline = connected, deadline
        self._idle: list[AbstractConnection] = []
        self._batcher = Batcher(
            self._exchange, max_batch=MAX_BATCH_CALLERS, max_concurrent=MAX_CONCURRENT_EXCHANGES
        )

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        # The stub says "a tuple of one"; a command has as many words as it has.
        packed = [hiredis.pack_command(cast(Any, tuple(command))) for command in commands]
        return await self._batcher.submit(packed)

    async def _exchange(self, batch: Sequence[list[bytes]]) -> list[list[Any]]:
        """The replies to each caller's packed commands."""
        connection = self._idle.pop() if self._idle else self._connected.connection_pool.make_connection()
        guard = breaker.of_server(connection)
        began = guard.clock()
        try:
            guard.check()
        except exceptions.ConnectionError:
            self._idle.append(connection)
            raise
        try:
            async with within(self._deadline):
                replies = await _write_and_read(connection, batch)
        except TimeoutError:
            guard.note_timeout(began)
            await connection.disconnect(nowait=True)
            raise exceptions.TimeoutError(f"no answer within {self._deadline} s") from None
        except BaseException as error:
            guard.note_error()
            # Half of the replies may be on their way: the next caller must not take them for its own.
            await connection.disconnect(nowait=True)
            if isinstance(error, exceptions.RedisError) and not isinstance(error, UNAVAILABLE):
                # The batcher would repeat the callers one by one, and those that ran would run again.
                raise exceptions.ConnectionError(f"unreadable: {error}") from error
            raise
        guard.note_answer()
        self._idle.append(connection)
        return replies

    async def aclose(self) -> None:
        for connection in self._idle:
            await connection.disconnect()
        await self._connected.aclose()


class ClusterTransport:
    """A cluster's own connections. Commands of one node go together; the keys of a command share a slot."""

    is_cluster = True

    def __init__(self, connected: AsyncRedisCluster, *, deadline: float) -> None:
        self._connected, self._deadline = connected, deadline
        self._refresh: asyncio.Task[None] | None = None
        # A node's pool refuses who comes when all its connections are in use, instead of having them wait.
        self._turns = asyncio.Semaphore(connected.connection_kwargs["max_connections"])
        self._probes: set[asyncio.Task[None]] = set()

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        """The replies in order; those of a node that doesn't answer are ConnectionErrors, at once."""
        pipe = self._connected.pipeline()
        for command in commands:
            pipe.execute_command(*command)
        try:
            with _node_call(NodeCall(self._send_probe)):
                async with within(self._deadline), self._turns:
                    replies = list(await pipe.execute(raise_on_error=False))
        except TimeoutError:
            self._schedule_refresh()
            raise exceptions.TimeoutError(f"no answer within {self._deadline} s") from None
        except NODE_LOST:
            self._schedule_refresh()
            raise
        if any(isinstance(reply, NODE_LOST) for reply in replies):
            self._schedule_refresh()
        return replies

    def _send_probe(self, host: str, port: int) -> None:
        """Ask a node again, besides the calls."""
        probe = asyncio.create_task(self._probe(host, port))
        self._probes.add(probe)
        probe.add_done_callback(self._probes.discard)

    async def _probe(self, host: str, port: int) -> None:
        node = self._connected.get_node(host=host, port=port)
        if node is None:
            # It has left the Cluster.
            return
        with suppress(exceptions.RedisError, OSError, TimeoutError), _node_call(NodeCall(None)):
            async with within(self._deadline):
                await node.execute_command("PING")

    def _schedule_refresh(self) -> None:
        """Find out, besides the calls, which node has which slot now: a pipeline of redis-py never does."""
        if self._refresh is None or self._refresh.done():
            self._refresh = asyncio.create_task(self._read_slots())

    async def _read_slots(self) -> None:
        # The next loss asks another of the nodes, in random order.
        with suppress(exceptions.RedisError, OSError, TimeoutError):
            async with asyncio.timeout(self._deadline):
                await self._connected.nodes_manager.initialize()

    async def aclose(self) -> None:
        beside = [*self._probes, *([self._refresh] if self._refresh else [])]
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await self._connected.aclose()


@contextmanager
def _node_call(call: NodeCall) -> Iterator[None]:
    """Let the breakers of a call's nodes hear how it ends."""
    token = CURRENT_CALL.set(call)
    try:
        yield
    except TimeoutError:
        call.note_timeout()
        raise
    except BaseException:
        call.note_error()
        raise
    finally:
        CURRENT_CALL.reset(token)


def build(connected: aredis.Redis | AsyncRedisCluster, *, deadline: float) -> AsyncTransport:
    """The transport of a client, which it closes with itself; the client's own socket timeout must be off.

    `deadline` is in seconds, for a whole exchange.
    """
    if isinstance(connected, AsyncRedisCluster):
        return ClusterTransport(connected, deadline=deadline)
    return ServerTransport(connected, deadline=deadline)


async def _write_and_read(connection: AbstractConnection, batch: Sequence[list[bytes]]) -> list[list[Any]]:
    # Whatever can be read before anything was sent is the server's goodbye.
    if connection.is_connected and await connection.can_read():
        await connection.disconnect(nowait=True)
    if isinstance(connection, SentinelManagedConnection) and not connection.is_connected:
        # Sending connects too, but not to the master that the Sentinels name.
        await connection.connect()
    await connection.send_packed_command([packed for commands in batch for packed in commands])
    return [[await _read_reply(connection) for _ in commands] for commands in batch]


async def _read_reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response()
    except exceptions.ResponseError as refusal:
        return refusal


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError in the `async with` block after so many seconds in which the loop took its turns.

    A loop runs its timers before it reads its sockets. After a turn that took longer than the deadline, that
    of asyncio.timeout ends calls whose answers lie in the socket; their callers have SQL and Django answer,
    and the next turn takes longer.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def look(began: float, left: float) -> None:
        nonlocal timer
        now = loop.time()
        left -= min(now - began, MAX_TURN_PART * seconds)
        if left > 0:
            timer = loop.call_later(min(left, seconds / DEADLINE_STEPS), look, now, left)
        else:
            limit.reschedule(now)

    timer = loop.call_later(seconds / DEADLINE_STEPS, look, loop.time(), seconds)
    try:
        async with asyncio.timeout(None) as limit:
            yield
    finally:
        timer.cancel()
