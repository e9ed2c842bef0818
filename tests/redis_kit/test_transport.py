"""`execute_many` answers as a client does, and never gives one caller another's reply."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_address, embedded_redis
from apps.redis_kit import client, transport
from apps.redis_kit.transport import AsyncTransport, Command
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy
from tests.redis_kit import keys

KEY = keys.COUNTER(name="transport")
MIXED: list[Command] = [("SET", KEY, 7), ("LPUSH", KEY, "x"), ("INCRBY", KEY, 2), ("GET", KEY)]


@pytest.fixture
def proxy(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """The proxy between the client and the server."""
    there = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(embedded_address.socket_path(redis_server.directory)) as between:
        settings.REDIS_CONNECTIONS = {"default": there["default"] | {"url": between.url, "deadline": 0.2}}
        client.close_all()
        yield between
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.mark.one_server("its replies as they are; a Cluster's client reads some")
def test_replies_come_in_order_and_a_refusal_is_one_of_them(guarded_redis: redis.Redis) -> None:
    replies = transport.execute_many(guarded_redis, MIXED, raise_on_error=False)
    assert isinstance(replies.pop(1), redis.ResponseError)
    assert replies == ["OK", 9, "9"]


def test_a_refusal_is_raised_after_the_rest_ran(guarded_redis: redis.Redis) -> None:
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        transport.execute_many(guarded_redis, MIXED)
    assert transport.execute_many(guarded_redis, [("GET", KEY)]) == ["9"]


def test_no_command_is_no_round_trip(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    assert transport.execute_many(guarded_redis, []) == []
    assert not round_trips


def test_many_commands_are_one_round_trip(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    assert transport.execute_many(guarded_redis, [("INCR", KEY)] * 50) == list(range(1, 51))
    assert len(round_trips) == 1


def test_arguments_arrive_unchanged(guarded_redis: redis.Redis) -> None:
    said = ["", "a\r\nb", "\x00", "店", "9" * 100_000]
    assert transport.execute_many(guarded_redis, [("ECHO", word) for word in said]) == said


@pytest.mark.one_server("PING has no key that names a node")
def test_an_unknown_argument_type_is_refused_and_costs_no_connection(guarded_redis: redis.Redis) -> None:
    for _ in range(100):
        with pytest.raises(TypeError):
            transport.execute_many(guarded_redis, [("ECHO", None)])  # type: ignore[list-item]
    assert transport.execute_many(guarded_redis, [("PING",)]) == ["PONG"]


def test_threads_at_once_get_their_own_replies(guarded_redis: redis.Redis) -> None:
    def echo(number: int) -> bool:
        said = [f"{number}-{turn}" for turn in range(5)]
        return transport.execute_many(client.get(), [("ECHO", one) for one in said]) == said

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(echo, range(200)))


@pytest.mark.one_server("all its connections are closed")
def test_a_connection_that_the_server_closed_is_not_used(guarded_redis: redis.Redis) -> None:
    admin = redis.Redis.from_url(client._options("default")["url"])
    for _ in range(3):
        assert transport.execute_many(client.get(), [("PING",)]) == ["PONG"]
        admin.client_kill_filter(_type="normal", skipme=True)
    admin.close()


@pytest.mark.parametrize(
    "fault", [Fault.DROP, *(pytest.param(late, marks=pytest.mark.wide) for late in (Fault.STALL, Fault.HALF))]
)
def test_a_reply_that_did_not_come_is_never_given_to_the_next(proxy: Proxy, fault: Fault) -> None:
    answers: list[tuple[list[str], list[str]]] = []
    for number in range(20):
        # Chosen for each call: in how many pieces a new connection is greeted depends on the machine.
        proxy.suffer(fault if number % 3 == 2 else Fault.PASS, every=1)
        said = [f"{number}-{turn}" for turn in range(3)]
        with suppress(*client.UNAVAILABLE):
            answers.append((said, transport.execute_many(client.get(), [("ECHO", one) for one in said])))
    assert 0 < len(answers) < 20
    assert all(said == heard for said, heard in answers)


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
    assert transport.run_blocking(client.get(), add_twice, key=key, by=2) == [2, 4, 1]
    assert asyncio.run(in_loop()) == [6, 8, 1]


def test_a_refusal_is_a_value_among_the_replies() -> None:
    async def ask(transport: AsyncTransport) -> list[object]:
        return await transport.execute_many([("NOSUCHCOMMAND",), ("PING",)])

    refused, answered = transport.run_blocking(client.get(), ask)
    assert isinstance(refused, redis.ResponseError)
    assert answered == "PONG"


def test_a_verb_that_waits_for_anything_else_fails() -> None:
    async def wait(_transport: AsyncTransport) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waits for an event loop"):
        transport.run_blocking(client.get(), wait)
