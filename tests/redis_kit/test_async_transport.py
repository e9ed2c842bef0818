"""An async transport answers as a client does, within its deadline, and mixes up no replies."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_address, embedded_redis
from apps.redis_kit import client
from apps.redis_kit.transport import AsyncTransport
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy
from tests.redis_kit import keys

pytestmark = pytest.mark.one_server("its two connections")

KEY = keys.COUNTER(name="async_transport")


@pytest.fixture
def proxy(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """The proxy between the transport and the server."""
    there = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(embedded_address.socket_path(redis_server.directory)) as between:
        settings.REDIS_CONNECTIONS = {"default": there["default"] | {"url": between.url, "deadline": 0.2}}
        yield between
    settings.REDIS_CONNECTIONS = there


@pytest.fixture
async def transport(guarded_redis: redis.Redis) -> AsyncTransport:
    return client.async_transport()


async def test_replies_come_in_order_and_a_refusal_is_one_of_them(transport: AsyncTransport) -> None:
    replies = await transport.execute_many(
        [("SET", KEY, 7), ("LPUSH", KEY, "x"), ("INCRBY", KEY, 2), ("GET", KEY)]
    )
    await client.aclose_all()
    assert isinstance(replies.pop(1), redis.ResponseError)
    assert replies == ["OK", 9, "9"]


async def test_a_transport_is_kept_by_name_and_connects_again_after_it_was_closed(
    transport: AsyncTransport,
) -> None:
    assert client.async_transport() is transport
    assert client.async_transport("gateway") is not transport
    await client.aclose_all()
    assert client.async_transport() is not transport
    assert await client.async_transport().execute_many([("PING",)]) == ["PONG"]
    await client.aclose_all()


async def test_callers_at_once_get_their_own_replies(guarded_redis: redis.Redis) -> None:
    transport = client.async_transport()

    async def echo(number: int) -> bool:
        said = [f"{number}-{turn}" for turn in range(5)]
        return await transport.execute_many([("ECHO", one) for one in said]) == said

    assert all(await asyncio.gather(*(echo(number) for number in range(30))))
    await client.aclose_all()


async def test_a_connection_that_the_server_closed_is_not_used(
    transport: AsyncTransport, guarded_redis: redis.Redis
) -> None:
    for _ in range(3):
        assert await transport.execute_many([("PING",)]) == ["PONG"]
        guarded_redis.client_kill_filter(_type="normal", skipme=True)
        # The event loop has to read the server's goodbye.
        await asyncio.sleep(0.01)
    await client.aclose_all()


@pytest.mark.usefixtures("impatient_redis")
async def test_a_frozen_server_is_away_after_the_deadline(redis_server: embedded_redis.Server) -> None:
    transport = client.async_transport()
    await wait_for_own_reply(transport, "first")
    os.kill(redis_server.pid, signal.SIGSTOP)
    try:
        # One deadline of half a second for the three, not one each; only the machine may stall besides.
        assert min([await refused_after(transport) for _ in range(3)]) < 1.4
    finally:
        os.kill(redis_server.pid, signal.SIGCONT)
    await wait_for_own_reply(transport, "again")
    await client.aclose_all()


async def refused_after(transport: AsyncTransport) -> float:
    """Seconds until three commands are given up."""
    began = time.monotonic()
    with pytest.raises(client.UNAVAILABLE):
        await transport.execute_many([("PING",)] * 3)
    return time.monotonic() - began


async def wait_for_own_reply(transport: AsyncTransport, word: str) -> None:
    """Check that the reply is our own; on a crowded machine it may not come within half a second."""
    async with asyncio.timeout(20):
        while True:
            with suppress(*client.UNAVAILABLE):
                assert await transport.execute_many([("ECHO", word)]) == [word]
                return
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "fault", [Fault.DROP, *(pytest.param(late, marks=pytest.mark.wide) for late in (Fault.STALL, Fault.HALF))]
)
async def test_a_reply_that_did_not_come_is_never_given_to_the_next(proxy: Proxy, fault: Fault) -> None:
    answers: list[tuple[list[str], list[str]]] = []
    for number in range(20):
        # Chosen for each call: in how many pieces a new connection is greeted depends on the machine.
        proxy.suffer(fault if number % 3 == 2 else Fault.PASS, every=1)
        said = [f"{number}-{turn}" for turn in range(3)]
        with suppress(*client.UNAVAILABLE):
            answers.append(
                (said, await client.async_transport().execute_many([("ECHO", one) for one in said]))
            )
    await client.aclose_all()
    assert 0 < len(answers) < 20
    assert all(said == heard for said, heard in answers)


async def test_a_caller_that_is_cancelled_leaves_no_reply_behind(transport: AsyncTransport) -> None:
    """200 callers give up while their reply is under way."""
    for number in range(200):
        gone = asyncio.ensure_future(transport.execute_many([("ECHO", f"gone {number}")]))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        gone.cancel()
        assert await transport.execute_many([("ECHO", f"stays {number}")]) == [f"stays {number}"]
        await asyncio.gather(gone, return_exceptions=True)
    await client.aclose_all()
