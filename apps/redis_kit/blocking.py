"""Runs in a thread what is written for an event loop's transport: a verb of several steps exists once.

blocking.run(replicas.await_copies, accepted)  # await replicas.await_copies(transport, accepted)
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from redis.cluster import RedisCluster

from apps.redis_kit import client, transport
from apps.redis_kit.transport import AsyncTransport, Command

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class ThreadTransport:
    """An AsyncTransport over the thread's own client: each exchange is over when its coroutine first runs."""

    def __init__(self) -> None:
        self._connected = client.get()
        self.is_cluster = isinstance(self._connected, RedisCluster)

    async def execute_many(self, commands: Sequence[Command]) -> list[Any]:
        """The replies in order; blocks the thread until they are there."""
        return transport.execute_many(self._connected, commands, raise_on_error=False)

    async def aclose(self) -> None:
        """Nothing to do: the client stays."""


def run(
    verb: Callable[Concatenate[AsyncTransport, Arguments], Coroutine[Any, Any, Result]],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Result:
    """The result of `verb(transport, …)`; RuntimeError for a verb that awaits anything but the transport."""
    steps = verb(ThreadTransport(), *args, **kwargs)
    try:
        steps.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    steps.close()
    raise RuntimeError(f"{verb.__qualname__} waits for an event loop")
