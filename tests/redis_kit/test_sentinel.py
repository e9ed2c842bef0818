"""Sentinels name the master: both kinds of transport go there, and to the next one when it has died."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pytest_django import Settings

from apps.redis_kit import client, transport
from tests.redis_kit.keys import COUNTER
from tests.redis_nodes import sentinel
from tests.redis_nodes.sentinel import Watched
from tests.sites import wait_until

pytestmark = pytest.mark.redis_nodes
NAME = COUNTER(name="watched")


@pytest.fixture
def watched(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Watched]:
    """The servers, with every connection pointed at the Sentinels."""
    there = settings.REDIS_CONNECTIONS
    with sentinel.run_sentinels(tmp_path_factory.mktemp("watched"), timeout_ms=1_500) as running:
        settings.REDIS_CONNECTIONS = {name: one | {"url": running.url} for name, one in there.items()}
        client.close_all()
        yield running
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
    wait_until(counts_again, seconds=60, otherwise="the next master isn't found")
    assert asyncio.run(count_in_loop())
    assert watched.master() is not master
