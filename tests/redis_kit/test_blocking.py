import asyncio

import pytest
import redis

from apps.redis_kit import blocking, client
from apps.redis_kit.transport import AsyncTransport
from tests.redis_kit import keys


async def add_twice(transport: AsyncTransport, *, key: str, by: int) -> list[int]:
    """A verb of two exchanges."""
    (first,) = await transport.execute_many([("INCRBY", key, by)])
    return [first, *await transport.execute_many([("INCRBY", key, by), ("EXPIRE", key, 60)])]


def test_a_verb_gives_the_same_in_a_thread_and_in_an_event_loop() -> None:
    async def in_loop() -> list[int]:
        try:
            return await add_twice(client.async_transport("gateway"), key=key, by=2)
        finally:
            await client.aclose_all()

    key = keys.COUNTER(name="blocking")
    assert blocking.run(add_twice, key=key, by=2) == [2, 4, 1]
    assert asyncio.run(in_loop()) == [6, 8, 1]


def test_a_refusal_is_a_value_among_the_replies() -> None:
    async def ask(transport: AsyncTransport) -> list[object]:
        return await transport.execute_many([("NOSUCHCOMMAND",), ("PING",)])

    refused, answered = blocking.run(ask)
    assert isinstance(refused, redis.ResponseError)
    assert answered == "PONG"


def test_a_verb_that_waits_for_anything_else_fails() -> None:
    async def wait(_transport: AsyncTransport) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waits for an event loop"):
        blocking.run(wait)
