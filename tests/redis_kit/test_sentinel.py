"""Sentinels name the master: both kinds of transport go there, and to the next one when it has died."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import kombu
import pytest
from pytest_django import Settings

from apps.queues import broker
from apps.redis_kit import client, transport
from tests.redis_kit.keys import COUNTER
from tests.redis_nodes import sentinel
from tests.redis_nodes.sentinel import SERVICE, Watched
from tests.sites import wait_until

pytestmark = pytest.mark.redis_nodes
NAME = COUNTER(name="watched")


PASSWORD, SENTINEL_PASSWORD = "of-servers", "of-sentinels"


@pytest.fixture
def watched(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Watched]:
    """The servers, with every connection pointed at the Sentinels."""
    folder = tmp_path_factory.mktemp("watched")
    with (
        sentinel.run_sentinels(folder) as running,
        connections_at(settings, running.url),
    ):
        yield running


@pytest.fixture
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """The same, behind passwords: one of the servers, one of the Sentinels."""
    with sentinel.run_sentinels(
        tmp_path_factory.mktemp("locked"),
        password=PASSWORD,
        sentinel_password=SENTINEL_PASSWORD,
    ) as running:
        yield running


@contextmanager
def connections_at(settings: Settings, url: str) -> Iterator[None]:
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {name: one | {"url": url} for name, one in there.items()}
    client.close_all()
    yield
    client.close_all()
    settings.REDIS_CONNECTIONS = there


def count() -> list[Any]:
    return transport.execute_many(client.get(), [("INCR", NAME)])


async def count_in_loop() -> list[Any]:
    try:
        return await client.async_transport("gateway").execute_many([("INCR", NAME)])
    finally:
        await client.aclose_all()


def counts_again() -> bool:
    with suppress(*client.UNAVAILABLE):
        return bool(count())
    return False


def test_both_find_the_master_and_its_heir(watched: Watched) -> None:
    assert (count(), asyncio.run(count_in_loop())) == ([1], [2])
    master = watched.master()
    master.kill()
    with watched.impatient():
        wait_until(counts_again, seconds=120, otherwise="the next master isn't found")
    assert asyncio.run(count_in_loop())
    assert watched.master() is not master


def test_celery_gets_in_with_both_passwords(locked: Watched) -> None:
    places = [f"127.0.0.1:{one.port}" for one in locked.sentinels]
    first = f"sentinel://:{PASSWORD}@{places[0]}/0?service={SERVICE}&sentinel_password={SENTINEL_PASSWORD}"
    url, options = broker.split_options(";".join([first, *(f"sentinel://{place}" for place in places[1:])]))
    with kombu.Connection(url, transport_options=options) as connection:
        connection.ensure_connection(max_retries=3)
        with connection.SimpleQueue("watched") as queue:
            queue.put("hello")
            assert queue.get(timeout=60).payload == "hello"


def test_passwords_of_the_servers_and_of_the_sentinels_let_both_in(
    locked: Watched, settings: Settings
) -> None:
    places = locked.url.removeprefix("redis+sentinel://")
    whole = f"redis+sentinel://:{PASSWORD}@{places}&sentinel_password={SENTINEL_PASSWORD}"
    with connections_at(settings, whole):
        assert (count(), asyncio.run(count_in_loop())) == ([1], [2])
        locked.master().kill()
        with locked.impatient():
            wait_until(counts_again, seconds=120, otherwise="the next master isn't found")
        assert asyncio.run(count_in_loop())
    for lacking in (locked.url, whole.replace(SENTINEL_PASSWORD, "wrong"), whole.replace(PASSWORD, "wrong")):
        with connections_at(settings, lacking), pytest.raises(client.UNAVAILABLE):
            count()
