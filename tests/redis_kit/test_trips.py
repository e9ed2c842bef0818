"""A trip answers as a client does, and never gives one caller another's reply."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_redis
from apps.redis_kit import client, trips
from apps.redis_kit.wires import Command
from tests.faults import faulty_proxy
from tests.faults.faulty_proxy import Fault, Proxy
from tests.redis_kit import keys

KEY = keys.COUNTER(name="trips")
MIXED: list[Command] = [("SET", KEY, 7), ("LPUSH", KEY, "x"), ("INCRBY", KEY, 2), ("GET", KEY)]


@pytest.fixture
def bad_way(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """What stands between the client and the server."""
    there = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(embedded_redis.socket_path(redis_server.directory)) as between:
        settings.REDIS_CONNECTIONS = {"default": there["default"] | {"url": between.url, "deadline": 0.2}}
        client.close_all()
        yield between
    settings.REDIS_CONNECTIONS = there
    client.close_all()


def test_replies_come_in_order_and_a_refusal_is_one_of_them(guarded_redis: redis.Redis) -> None:
    replies = trips.exchange(guarded_redis, MIXED)
    assert isinstance(replies.pop(1), redis.ResponseError)
    assert replies == ["OK", 9, "9"]


def test_who_asks_hears_of_a_refusal_after_the_rest_ran(guarded_redis: redis.Redis) -> None:
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        trips.ask(guarded_redis, MIXED)
    assert trips.ask(guarded_redis, [("GET", KEY)]) == ["9"]


def test_nothing_asked_is_no_trip(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    assert trips.ask(guarded_redis, []) == []
    assert not round_trips


def test_many_commands_are_one_trip(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    assert trips.ask(guarded_redis, [("INCR", KEY)] * 50) == list(range(1, 51))
    assert len(round_trips) == 1


def test_words_arrive_as_they_are(guarded_redis: redis.Redis) -> None:
    said = ["", "a\r\nb", "\x00", "店", "9" * 100_000]
    assert trips.ask(guarded_redis, [("ECHO", word) for word in said]) == said


def test_what_is_no_word_is_refused_and_takes_no_connection_with_it(guarded_redis: redis.Redis) -> None:
    for _ in range(100):
        with pytest.raises(TypeError):
            trips.ask(guarded_redis, [("ECHO", None)])  # type: ignore[list-item]
    assert trips.ask(guarded_redis, [("PING",)]) == ["PONG"]


def test_threads_at_once_get_their_own_replies(guarded_redis: redis.Redis) -> None:
    def echo(number: int) -> bool:
        said = [f"{number}-{turn}" for turn in range(5)]
        return trips.ask(client.get(), [("ECHO", one) for one in said]) == said

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(echo, range(200)))


def test_a_connection_that_the_server_closed_is_not_used(guarded_redis: redis.Redis) -> None:
    boss = redis.Redis.from_url(client._options("default")["url"])
    for _ in range(3):
        assert trips.ask(client.get(), [("PING",)]) == ["PONG"]
        boss.client_kill_filter(_type="normal", skipme=True)
    boss.close()


@pytest.mark.parametrize("fault", [Fault.DROP, Fault.STALL, Fault.HALF])
def test_a_reply_that_did_not_come_is_never_given_to_the_next(bad_way: Proxy, fault: Fault) -> None:
    answers: list[tuple[list[str], list[str]]] = []
    # Not every third: a new connection says two things about itself first.
    bad_way.suffer(fault, every=4)
    for number in range(20):
        said = [f"{number}-{turn}" for turn in range(3)]
        with suppress(*client.UNAVAILABLE):
            answers.append((said, trips.ask(client.get(), [("ECHO", one) for one in said])))
    assert 0 < len(answers) < 20
    assert all(said == heard for said, heard in answers)
