"""The one place where Redis commands leave the process, sync and async.

    transport.execute(client.get(), ("GET", key))                                   ->  text
    transport.execute_many(client.get(), [("GET", key), ("ZRANGE", other, 0, -1)])  ->  [text, members]
    await client.async_transport("gateway").execute_many([("GET", key)])            # in an event loop
    transport.run_blocking(client.get(), decide, claims)      # await decide(transport, claims) in a thread

All use a client's connection and deadline without its bookkeeping, which costs a page more than the answer
does: a call of redis.asyncio's client takes 100 us of the event loop. Replies are as the server sends them:
an EXPIRE answers 1, a score is text. The methods, pipelines, pub/sub and blocking reads of a client from
`client.py` use the same connections, so that `observers` see those commands too.
"""

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

import hiredis
import redis
import redis.asyncio as aredis
from redis import exceptions
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.asyncio.connection import AbstractConnection as AsyncConnection
from redis.asyncio.sentinel import SentinelManagedConnection
from redis.client import NEVER_DECODE
from redis.cluster import RedisCluster
from redis.connection import AbstractConnection

from apps.redis_kit import breaker
from apps.redis_kit.batching import Batcher
from apps.redis_kit.breaker import UNAVAILABLE
from apps.redis_kit.cluster_nodes import CURRENT_CALL, NodeCall

Arg = str | int | float | bytes
Command = Sequence[Arg]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
#: A verb that yields the commands of each of its steps, is sent their replies, and returns its result.
Steps = Generator[Sequence[Command], list[Any], Result]
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


def execute(connected: redis.Redis, command: Command) -> Any:
    """The reply to one command. Raises its refusal, or one of UNAVAILABLE: then it may have run or not."""
    return execute_many(connected, [command])[0]


def execute_binary(connected: redis.Redis | RedisCluster, command: Command) -> Any:
    """The reply to one command whose values are not text: bytes, and not what the client makes of them."""
    if isinstance(connected, RedisCluster):
        return connected.execute_command(*command, **{NEVER_DECODE: True})
    (reply,) = _execute_on_server(connected, [command], decode=False)
    if isinstance(reply, exceptions.RedisError):
        raise reply
    return reply


def execute_many(
    connected: redis.Redis | RedisCluster, commands: Sequence[Command], *, raise_on_error: bool = True
) -> list[Any]:
    """The replies in order, in one round trip a server; not a transaction: a refused command stops no other.

    Raises the first refusal, unless `raise_on_error` is off: then a refusal is a value among the replies.
    Raises one of UNAVAILABLE when the server is away: then any of the commands may have run.
    """
    if isinstance(connected, RedisCluster):
        replies = _execute_in_cluster(connected, commands)
    else:
        replies = _execute_on_server(connected, commands) if commands else []
    for reply in replies if raise_on_error else ():
        if isinstance(reply, exceptions.RedisError):
            raise reply
    return replies


def run_together(connected: redis.Redis | RedisCluster, verbs: Iterable[Steps[Result]]) -> list[Result]:
    """The results of verbs that yield commands and are sent their replies; a refusal is a reply.

    What the verbs yield in the same turn goes in one round trip. Raises what a verb raises, and UNAVAILABLE.
    """
    results: dict[int, Result] = {}
    replies: dict[int, tuple[Steps[Result], list[Any] | None]] = {
        place: (verb, None) for place, verb in enumerate(verbs)
    }
    while replies:
        yielded: dict[int, tuple[Steps[Result], Sequence[Command]]] = {}
        for place, (verb, answer) in replies.items():
            try:
                yielded[place] = verb, next(verb) if answer is None else verb.send(answer)
            except StopIteration as end:
                results[place] = end.value
        together = [command for _verb, commands in yielded.values() for command in commands]
        read = iter(execute_many(connected, together, raise_on_error=False))
        replies = {
            place: (verb, [next(read) for _ in commands]) for place, (verb, commands) in yielded.items()
        }
    return [results[place] for place in sorted(results)]


def paired(reply: Any) -> list[tuple[Any, Any]]:
    """The names and values of a reply that alternates them; a Cluster's client has paired them."""
    if isinstance(reply, Mapping):
        return list(reply.items())
    if reply and isinstance(reply[0], list | tuple):
        return [(name, value) for name, value in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


def scored(reply: Sequence[Any]) -> list[tuple[str, float]]:
    """The members and scores of a WITHSCORES reply, in its order."""
    return [(str(member), float(score)) for member, score in paired(reply)]


def pack(commands: Sequence[Command]) -> list[bytes]:
    """Each command as the bytes that a server reads; TypeError for an argument that is not an `Arg`."""
    # The stub says "a tuple of one"; a command has as many words as it has.
    return [hiredis.pack_command(cast(Any, tuple(command))) for command in commands]


def _execute_on_server(
    connected: redis.Redis, commands: Sequence[Command], *, decode: bool = True
) -> list[Any]:
    pool = connected.connection_pool
    connection = pool.get_connection()
    try:
        connection.send_packed_command([b"".join(pack(commands))])
        return [_read_reply(connection, decode=decode) for _ in commands]
    except BaseException:
        # Half of the replies may be on their way: the next caller must not take them for its own.
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def _read_reply(connection: AbstractConnection, *, decode: bool) -> Any:
    try:
        return connection.read_response(disable_decoding=not decode)
    except exceptions.ResponseError as refusal:
        return refusal


def _execute_in_cluster(connected: RedisCluster, commands: Sequence[Command]) -> list[Any]:
    """The client's own pipeline groups the commands by node."""
    with connected.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command, **_target_of_script(connected, command))
        return list(pipe.execute(raise_on_error=False))


def _target_of_script(connected: RedisCluster, command: Command) -> dict[str, Any]:
    """The node of a script's first key; a pipeline of redis-py asks a server for the keys of each EVALSHA.

    A node that has lost the slot says so, and redis-py repeats the call without a target.
    """
    if command[0] != "EVALSHA" or not int(command[2]):
        return {}
    return {"target_nodes": connected.get_node_from_key(str(command[3]))}


class AsyncTransport(Protocol):
    """An event loop's way to Redis for few callers with large calls; made by `client.async_transport`."""

    #: Whether keys of different slots need different commands.
    is_cluster: bool

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        """The replies in order, written and read together; a refusal by the server is a value among them.

        Raises one of UNAVAILABLE within the deadline when the server is away: then any may have run.
        """

    async def aclose(self) -> None:
        """Close the connections."""


def run_blocking(
    connected: redis.Redis | RedisCluster,
    verb: Callable[Concatenate[AsyncTransport, Arguments], Coroutine[Any, Any, Result]],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Result:
    """The result of `await verb(transport, …)` in a thread: a verb of several steps exists once for both.

    RuntimeError for a verb that awaits anything but the transport.
    """
    steps = verb(ThreadTransport(connected), *args, **kwargs)
    try:
        steps.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    steps.close()
    raise RuntimeError(f"{verb.__qualname__} waits for an event loop")


class ThreadTransport:
    """An AsyncTransport over the thread's own client: each exchange is over when its coroutine first runs."""

    def __init__(self, connected: redis.Redis | RedisCluster) -> None:
        self._connected = connected
        self.is_cluster = isinstance(self._connected, RedisCluster)

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        """The replies in order; blocks the thread until they are there."""
        return execute_many(self._connected, commands, raise_on_error=False)

    async def aclose(self) -> None:
        """Nothing to do: the client stays."""


def build_async(connected: aredis.Redis | AsyncRedisCluster, *, deadline: float) -> AsyncTransport:
    """The transport of a client, which it closes with itself; the client's own socket timeout must be off.

    `deadline` is in seconds, for a whole exchange.
    """
    if isinstance(connected, AsyncRedisCluster):
        return ClusterTransport(connected, deadline=deadline)
    return ServerTransport(connected, deadline=deadline)


class ServerTransport:
    """Two connections to a server, or to the master that Sentinel names.

    Callers that come while both are in use share the next exchange; each gets its own replies.
    """

    is_cluster = False

    def __init__(self, connected: aredis.Redis, *, deadline: float) -> None:
        self._connected, self._deadline = connected, deadline
        self._idle: list[AsyncConnection] = []
        self._batcher = Batcher(
            self._exchange, max_batch=MAX_BATCH_CALLERS, max_concurrent=MAX_CONCURRENT_EXCHANGES
        )

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        return await self._batcher.submit(pack(commands))

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


async def _write_and_read(connection: AsyncConnection, batch: Sequence[list[bytes]]) -> list[list[Any]]:
    # Whatever can be read before anything was sent is the server's goodbye.
    if connection.is_connected and await connection.can_read():
        await connection.disconnect(nowait=True)
    if isinstance(connection, SentinelManagedConnection) and not connection.is_connected:
        # Sending connects too, but not to the master that the Sentinels name.
        await connection.connect()
    await connection.send_packed_command([packed for commands in batch for packed in commands])
    return [[await _aread_reply(connection) for _ in commands] for commands in batch]


async def _aread_reply(connection: AsyncConnection) -> Any:
    try:
        return await connection.read_response()
    except exceptions.ResponseError as refusal:
        return refusal


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
