"""Commands there and back past the client's bookkeeping, which costs a page more than the answer does.

    trips.ask(client.get(), [("GET", key), ("ZRANGE", other, 0, -1)])  ->  [text, members]

The connection, its pool and its deadline are the client's. Replies are as the server sends them: an EXPIRE
answers 1, a score is text.
"""

from collections.abc import Sequence
from typing import Any, cast

import hiredis
import redis
from redis import exceptions
from redis.cluster import RedisCluster
from redis.connection import AbstractConnection

from apps.redis_kit.wires import Command


def ask(connected: redis.Redis, commands: Sequence[Command]) -> list[Any]:
    """The replies in order, in one round trip, not a transaction; raises the first refusal among them."""
    replies = exchange(connected, commands)
    for reply in replies:
        if isinstance(reply, exceptions.RedisError):
            raise reply
    return replies


def exchange(connected: redis.Redis | RedisCluster, commands: Sequence[Command]) -> list[Any]:
    """The same, with a refusal by the server as a value among the replies.

    Raises one of client.UNAVAILABLE when the server is away: then nobody knows which of them ran.
    """
    if isinstance(connected, RedisCluster):
        return _routed(connected, commands)
    if not commands:
        return []
    pool = connected.connection_pool
    connection = pool.get_connection()
    try:
        # The stub says "a tuple of one"; a command has as many words as it has.
        packed = [hiredis.pack_command(cast(Any, tuple(command))) for command in commands]
        connection.send_packed_command([b"".join(packed)])
        return [_reply(connection) for _ in commands]
    except BaseException:
        # Half of the replies may be on their way: the next caller must not take them for its own.
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def _reply(connection: AbstractConnection) -> Any:
    try:
        return connection.read_response()
    except exceptions.ResponseError as refusal:
        return refusal


def _routed(connected: RedisCluster, commands: Sequence[Command]) -> list[Any]:
    """Each node's together, by the client's own pipeline."""
    with connected.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return list(pipe.execute(raise_on_error=False))
