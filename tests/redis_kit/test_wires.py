"""A wire answers as a client does, in its deadline, and never gives one caller another's reply."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_redis
from apps.redis_kit import client, wires
from tests.faults import faulty_proxy
from tests.faults.faulty_proxy import Fault, Proxy
from tests.redis_kit import keys

KEY = keys.COUNTER(name="wires")


@pytest.fixture
def bad_wire(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """What stands between the wires and the server."""
    there = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(embedded_redis.socket_path(redis_server.directory)) as between:
        settings.REDIS_CONNECTIONS = {"default": there["default"] | {"url": between.url, "deadline": 0.2}}
        yield between
    settings.REDIS_CONNECTIONS = there


@pytest.fixture
async def wire(guarded_redis: redis.Redis) -> wires.Wire:
    return client.awire()


async def test_replies_come_in_order_and_a_refusal_is_one_of_them(wire: wires.Wire) -> None:
    replies = await wire.submit([("SET", KEY, 7), ("LPUSH", KEY, "x"), ("INCRBY", KEY, 2), ("GET", KEY)])
    await client.aclose_all()
    assert isinstance(replies.pop(1), redis.ResponseError)
    assert replies == ["OK", 9, "9"]


async def test_a_wire_is_kept_by_name_and_connects_again_after_it_was_closed(wire: wires.Wire) -> None:
    assert client.awire() is wire
    assert client.awire("gateway") is not wire
    await client.aclose_all()
    assert client.awire() is not wire
    assert await client.awire().submit([("PING",)]) == ["PONG"]
    await client.aclose_all()


async def test_callers_at_once_get_their_own_replies(guarded_redis: redis.Redis) -> None:
    wire = client.awire()

    async def echo(number: int) -> bool:
        said = [f"{number}-{turn}" for turn in range(5)]
        return await wire.submit([("ECHO", one) for one in said]) == said

    assert all(await asyncio.gather(*(echo(number) for number in range(30))))
    await client.aclose_all()


async def test_a_connection_that_the_server_closed_is_not_used(
    wire: wires.Wire, guarded_redis: redis.Redis
) -> None:
    for _ in range(3):
        assert await wire.submit([("PING",)]) == ["PONG"]
        guarded_redis.client_kill_filter(_type="normal", skipme=True)
        # The loop has to hear of it.
        await asyncio.sleep(0.01)
    await client.aclose_all()


@pytest.mark.usefixtures("impatient_redis")
async def test_a_frozen_server_is_away_after_the_deadline(redis_server: embedded_redis.Server) -> None:
    wire = client.awire()
    await wait_for_own_reply(wire, "first")
    os.kill(redis_server.pid, signal.SIGSTOP)
    try:
        # One deadline of half a second for the three, not one each; only the machine may stall besides.
        assert min([await refused_after(wire) for _ in range(3)]) < 1.4
    finally:
        os.kill(redis_server.pid, signal.SIGCONT)
    await wait_for_own_reply(wire, "again")
    await client.aclose_all()


async def refused_after(wire: wires.Wire) -> float:
    """Seconds until three commands are given up."""
    began = time.monotonic()
    with pytest.raises(client.UNAVAILABLE):
        await wire.submit([("PING",)] * 3)
    return time.monotonic() - began


async def wait_for_own_reply(wire: wires.Wire, word: str) -> None:
    """The wire gives our own reply; on a crowded machine perhaps not within half a second."""
    for _ in range(20):
        with suppress(*client.UNAVAILABLE):
            assert await wire.submit([("ECHO", word)]) == [word]
            return
    raise AssertionError("no reply came")


@pytest.mark.parametrize("fault", [Fault.DROP, Fault.STALL, Fault.HALF])
async def test_a_reply_that_did_not_come_is_never_given_to_the_next(bad_wire: Proxy, fault: Fault) -> None:
    answers: list[tuple[list[str], list[str]]] = []
    bad_wire.suffer(fault, every=3)
    for number in range(20):
        said = [f"{number}-{turn}" for turn in range(3)]
        with suppress(*client.UNAVAILABLE):
            answers.append((said, await client.awire().submit([("ECHO", one) for one in said])))
    await client.aclose_all()
    assert 0 < len(answers) < 20
    assert all(said == heard for said, heard in answers)


async def test_a_caller_that_is_cancelled_leaves_no_reply_behind(wire: wires.Wire) -> None:
    """FAULTS C4: 200 callers give up while their reply is under way."""
    for number in range(200):
        gone = asyncio.ensure_future(wire.submit([("ECHO", f"gone {number}")]))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        gone.cancel()
        assert await wire.submit([("ECHO", f"stays {number}")]) == [f"stays {number}"]
        await asyncio.gather(gone, return_exceptions=True)
    await client.aclose_all()
