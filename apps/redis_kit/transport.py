"""The one place where Redis commands leave the process, sync and async.

    transport.execute(client.get(), ("GET", key))                                   ->  text
    transport.execute_many(client.get(), [("GET", key), ("ZRANGE", other, 0, -1)])  ->  [text, members]

Both use a client's connection and deadline without its bookkeeping, which costs a page more than the answer
does. Replies are as the server sends them: an EXPIRE answers 1, a score is text. `AsyncTransport` is the same
for an event loop. The methods, pipelines, pub/sub and blocking reads of a client from `client.py` use the
same connections, so that `observers` see those commands too.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import hiredis
import redis
from redis import exceptions
from redis._parsers import BaseParser
from redis.client import NEVER_DECODE
from redis.cluster import RedisCluster
from redis.connection import AbstractConnection

Arg = str | int | float | bytes
Command = Sequence[Arg]


class NotServingError(exceptions.ResponseError):
    """The server runs and refuses a command for now (NOT_SERVING_CODES)."""


#: Refusals without a class of redis-py: the append-only file can't be written, too few replicas follow, a
#: script runs on and on, a blocking read ends because the server has become a replica.
NOT_SERVING_CODES = ("MISCONF", "NOREPLICAS", "BUSY", "UNBLOCKED")
# Every parser reads this table, so that Django's cache and Celery's broker raise the same error.
BaseParser.EXCEPTION_CLASSES |= dict.fromkeys(NOT_SERVING_CODES, NotServingError)

#: Redis is away, full, loading or not a master: a read falls back to SQL, a write answers 503.
UNAVAILABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    NotServingError,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    # A slot without a server (CLUSTERDOWN), or one that is on its way to another for too many tries.
    exceptions.ClusterError,
    exceptions.TryAgainError,
    exceptions.RedisClusterException,
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
