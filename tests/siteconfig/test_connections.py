"""Named connections that move to another server while calls run: no call fails, and both servers are real."""

import asyncio
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.core.exceptions import ValidationError
from django.test import Client

from apps.demo import embedded_redis
from apps.redis_kit import cache, client
from apps.redis_kit import keys as kit_keys
from apps.siteconfig import connections
from apps.siteconfig.components import changes
from apps.siteconfig.connections import CONNECTIONS
from tests.sites import free_port

pytestmark = pytest.mark.django_db(transaction=True)
#: Moves there and back under running calls.
MOVES = 10


@pytest.fixture(scope="module")
def other_server() -> Iterator[embedded_redis.Server]:
    """A second real server."""
    with tempfile.TemporaryDirectory(prefix="savor-") as directory:
        server = embedded_redis.start(Path(directory))
        yield server
        server.stop()


@pytest.fixture
def other(other_server: embedded_redis.Server) -> Iterator[redis.Redis]:
    """A client of the second server, which is empty."""
    with redis.Redis.from_url(other_server.url, decode_responses=True) as connected:
        connected.flushall()
        yield connected


def move(url: str, name: str = "stats") -> None:
    based_on = changes.newest_number(CONNECTIONS)
    overrides = {name: url} if url else {}
    changes.change(CONNECTIONS, overrides, changed_by="Manager", based_on=based_on)


def test_calls_go_to_the_other_server_and_back(
    other_server: embedded_redis.Server, other: redis.Redis, guarded_redis: redis.Redis
) -> None:
    key = kit_keys.CACHE_COUNTS(cache="moving")
    client.get("stats").hincrby(key, "hit")
    move(other_server.url)
    client.get("stats").hincrby(key, "hit", 5)
    assert (other.hget(key, "hit"), guarded_redis.hget(key, "hit")) == ("5", "1")
    move("")
    assert client.get("stats").hget(key, "hit") == "1"


def test_no_call_of_a_thread_fails_or_is_lost_while_its_name_moves(
    other_server: embedded_redis.Server, other: redis.Redis, guarded_redis: redis.Redis
) -> None:
    key, is_over, calls, errors = kit_keys.CACHE_COUNTS(cache="moving"), threading.Event(), [0] * 4, []

    def count(number: int) -> None:
        while not is_over.is_set():
            try:
                client.get("stats").hincrby(key, "hit")
                calls[number] += 1
            except redis.RedisError as error:
                errors.append(error)

    threads = [threading.Thread(target=count, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for number in range(MOVES):
        before = sum(calls)
        move("" if number % 2 else other_server.url)
        while sum(calls) < before + 100 and not errors:
            threading.Event().wait(0.001)
    is_over.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert int(other.hget(key, "hit") or 0) + int(guarded_redis.hget(key, "hit") or 0) == sum(calls)
    assert other.hget(key, "hit")


async def test_no_call_of_an_event_loop_fails_while_its_name_moves(
    other_server: embedded_redis.Server, other: redis.Redis, guarded_redis: redis.Redis
) -> None:
    key, calls, is_over = kit_keys.CACHE_COUNTS(cache="moving"), [0, 0], False

    async def count_by_client() -> None:
        while not is_over:
            await client.aget("stats").hincrby(key, "hit", 1)
            calls[0] += 1

    async def count_by_transport() -> None:
        while not is_over:
            (reply,) = await client.async_transport("stats").execute_many([("HINCRBY", key, "hit", 1)])
            assert isinstance(reply, int)
            calls[1] += 1

    tasks = [
        asyncio.create_task(count()) for count in (count_by_client, count_by_transport) for _ in range(2)
    ]
    for number in range(MOVES):
        before = list(calls)
        client.move("stats", "" if number % 2 else other_server.url)
        while not all(now >= then + 20 for now, then in zip(calls, before, strict=True)):
            await asyncio.sleep(0)
            assert not any(task.done() for task in tasks)
    is_over = True
    await asyncio.gather(*tasks)
    await client.aclose_all()
    assert int(other.hget(key, "hit") or 0) + int(guarded_redis.hget(key, "hit") or 0) == sum(calls)


def test_calls_under_way_end_where_they_began(
    other_server: embedded_redis.Server, other: redis.Redis, guarded_redis: redis.Redis
) -> None:
    before = client.get("stats")
    client.move("stats", other_server.url)
    key = kit_keys.CACHE_COUNTS(cache="moving")
    before.hincrby(key, "hit")
    assert (guarded_redis.hget(key, "hit"), other.exists(key)) == ("1", 0)


def test_caches_on_another_server_begin_empty_each_time(other_server: embedded_redis.Server) -> None:
    """Else a value would come back whose invalidation went to the other server."""
    loads: list[int] = []

    def load(name: str) -> int:
        loads.append(1)
        return len(loads)

    numbers = cache.Cache(
        kit_keys.CACHE_COUNTS, load=load, fresh=timedelta(minutes=1), ttl=timedelta(minutes=2)
    )
    assert (numbers.get("a"), numbers.get("a")) == (1, 1)
    move(other_server.url, "cache")
    assert (numbers.get("a"), numbers.get("a")) == (2, 2)
    move("", "cache")
    assert numbers.get("a") == 3
    client.get().delete(kit_keys.CACHE_COUNTS(cache="a"))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("redis://127.0.0.1:{port}/0", "No Redis server takes commands there."),
        ("unix:///nowhere/redis.sock", "No Redis server takes commands there."),
        ("http://localhost", "This is no address of a Redis server."),
        ("redis", "This is no address of a Redis server."),
        ("redis://localhost:port/0", "This is no address of a Redis server."),
    ],
)
def test_a_bad_address_is_refused_with_a_sentence(boss: Client, url: str, sentence: str) -> None:
    form = {"based_on": "0", "stats": url.format(port=free_port())}
    assert sentence in boss.post("/admin/settings/connections/", form).content.decode()
    with pytest.raises(ValidationError):
        move(url.format(port=free_port()))
    assert CONNECTIONS.current().stats == ""


def test_a_server_that_goes_away_after_the_move_costs_statistics_only(
    other_server: embedded_redis.Server, redis_away_now: Callable[[], None]
) -> None:
    move(other_server.url)
    redis_away_now()
    assert client.get("stats").ping()


def test_an_address_with_an_unknown_option_is_refused() -> None:
    [sentence] = connections.refuse_unreachable(
        {"stats": "redis://:hidden@127.0.0.1:1/0?colour=red"}
    ).values()
    assert sentence.startswith("This is no address of a Redis server")
