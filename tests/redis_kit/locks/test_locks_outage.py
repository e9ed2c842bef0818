"""Answers that are lost, servers that freeze: nothing is counted twice, and nobody waits without end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_address, embedded_redis
from apps.redis_kit import client, keys, locks
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy
from tests.races import Race


@contextmanager
def route_through_proxy(
    server: embedded_redis.Server, settings: Settings, **options: float
) -> Iterator[Proxy]:
    """Point the named connections to a proxy that can lose replies."""
    there = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(Path(embedded_address.socket_path(server.directory))) as between:
        settings.REDIS_CONNECTIONS = {
            name: one | {"url": between.url} | options for name, one in there.items()
        }
        client.close_all()
        yield between
        client.close_all()
        settings.REDIS_CONNECTIONS = there


@pytest.fixture
def lossy_proxy(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """A proxy whose losses are noticed at once."""
    with route_through_proxy(redis_server, settings) as between:
        yield between


@pytest.fixture
def silent_proxy(redis_server: embedded_redis.Server, settings: Settings) -> Iterator[Proxy]:
    """A proxy whose replies may not come, which is noticed after half a second."""
    with route_through_proxy(redis_server, settings, deadline=0.5) as between:
        yield between


@pytest.fixture
def server(redis_server: embedded_redis.Server) -> Iterator[redis.Redis]:
    """The server itself, past the proxy."""
    with redis.Redis.from_url(redis_server.url, decode_responses=True) as connected:
        yield connected


@pytest.mark.parametrize("fault", [Fault.DROP, Fault.STALL, Fault.HALF])
def test_a_lost_answer_counts_one_acquisition(silent_proxy: Proxy, server: redis.Redis, fault: Fault) -> None:
    lock = locks.lock("a", lease=60)
    # A new connection hears a few answers before the first of ours.
    silent_proxy.suffer(fault, every=7)
    for _ in range(20):
        assert lock.acquire(blocking=False)
    assert silent_proxy.hurt
    assert server.zcard(keys.LOCK_HOLDERS(name="a")) == 20


def test_a_lost_answer_to_a_release_is_no_loss_of_the_lock(lossy_proxy: Proxy, server: redis.Redis) -> None:
    lock = locks.lock("a", lease=60)
    for _ in range(20):
        lock.acquire()
    lossy_proxy.suffer(Fault.DROP, every=7)
    for _ in range(20):
        lock.release()
    assert lossy_proxy.hurt
    assert not server.exists(keys.LOCK_HOLDERS(name="a"))


def test_when_every_answer_is_lost_the_caller_hears_it_and_nothing_is_left(
    lossy_proxy: Proxy, server: redis.Redis
) -> None:
    lossy_proxy.suffer(Fault.DROP, every=1)
    with pytest.raises(client.UNAVAILABLE):
        locks.lock("a", lease=60).acquire()
    assert not server.exists(keys.LOCK_HOLDERS(name="a"))


def test_many_on_a_bad_connection_are_inside_one_at_a_time(
    lossy_proxy: Proxy, server: redis.Redis, race: Race
) -> None:
    inside, most, done = set[int](), list[int](), list[int]()
    lossy_proxy.suffer(Fault.DROP, every=23)

    def work(number: int) -> None:
        with locks.fair("a", lease=60, wait=60):
            inside.add(number)
            most.append(len(inside))
            inside.remove(number)
        done.append(number)

    race(12, work)
    assert set(most) == {1}
    assert len(done) >= 6


def test_without_redis_the_caller_hears_it(redis_away: None) -> None:
    with pytest.raises(client.UNAVAILABLE):
        locks.lock("a", lease=60, wait=5).acquire()
