"""The kit on a Redis Cluster: one node that owns every slot, so that slot rules hold and nothing moves."""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from pytest_django import Settings

from apps.redis_kit import cache, client, ids, limiter, locks, observers, scripts, streams, transport
from tests.redis_kit.cache.cached_things import CountingSource, make_cache, make_stale, read_all
from tests.redis_kit.keys import COUNTER
from tests.redis_kit.streams.stream_worker import GROUP, STREAMS, RecordingHandler, add, drain
from tests.redis_kit.test_observers import Recorder
from tests.redis_kit.test_scripts import COUNT_UP
from tests.redis_nodes import cluster

pytestmark = pytest.mark.redis_nodes


@pytest.fixture(scope="module")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with cluster.run_cluster(tmp_path_factory.mktemp("cluster"), masters=1, replicas=0) as nodes:
        yield nodes.url


@pytest.fixture(autouse=True)
def on_the_cluster(cluster_url: str, settings: Settings) -> Iterator[None]:
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {name: one | {"url": cluster_url} for name, one in there.items()}
    client.close_all()
    client.get().flushall()
    yield
    settings.REDIS_CONNECTIONS = there
    client.close_all()


def test_a_limit_is_asked_in_one_slot() -> None:
    first = limiter.Limit(name="a", family="f", allowed=1, period=timedelta(minutes=1))
    second = limiter.Limit(name="b", family="f", allowed=9, period=timedelta(minutes=1))
    verdicts = [limiter.hit([(first, "alice"), (second, "alice")]).allowed for _ in range(2)]
    assert verdicts == [True, False]


def test_a_cache_spreads_over_slots(source: CountingSource) -> None:
    cached = make_cache(source, group="city")
    assert read_all(cached, 1, 2, 404) == source.rows | {404: None}
    assert read_all(cached, 1, 2, 404) == source.rows | {404: None}
    make_stale(1)
    assert cached.get(1) == source.rows[1]
    cache.load_limiter().finish()
    source.rows[1] = "new"
    cached.invalidate_group()
    assert cached.get(1) == "new"
    assert cached.counts() == {"hit": 3, "miss": 4, "stale": 1, "rebuild": 5, "refused": 0}


def test_streams_of_several_slots_are_consumed(handler: RecordingHandler) -> None:
    add(5), add(5, STREAMS[1])
    bad = add(1, poison="x")
    consumer = handler.consumer(max_deliveries=1)
    drain(consumer)
    assert (handler.done.total(), [id_ for id_, _ in handler.buried]) == (10, bad)
    assert streams.read_backlog(client.get(), STREAMS, GROUP) == streams.Backlog()


def test_ids_are_made() -> None:
    assert len(set(ids.next_ids("note", 3))) == 3


def test_a_script_runs_in_a_pipeline_even_after_a_flush() -> None:
    connected = client.get()
    names = [COUNTER(name=str(number)) for number in range(3)]
    connected.script_flush()
    assert COUNT_UP.call_many(connected, [([name], [1]) for name in names])[0] == [1, 1, 1]
    with connected.pipeline(transaction=False) as pipe:
        for name in names:
            COUNT_UP.queue(pipe, keys=[name], args=[1])
        assert pipe.execute() == [2, 2, 2]


async def test_observers_see_what_goes_to_a_node() -> None:
    recorder = Recorder()
    observers.add_observer(recorder)
    name = COUNTER(name="observed")
    transport.execute_many(client.get(), [("SET", name, 1), ("INCR", name)])
    client.get().get(name)
    await client.async_transport("gateway").execute_many([("INCR", name), ("GET", name)])
    await client.aget().get(name)
    await client.aclose_all()
    observers.remove_observer(recorder)
    assert recorder.names == [["SET", "INCR"], ["GET"], ["INCR", "GET"], ["GET"]]
    assert {exchange.connection for exchange in recorder.ended} == {"default", "gateway"}


def test_the_time_is_that_of_the_server_that_holds_a_key() -> None:
    name = COUNTER(name="clock")
    with client.get().pipeline(transaction=False) as pipe:
        scripts.READ_TIME.queue(pipe, keys=[name])
        (reply,) = pipe.execute()
    assert abs(scripts.READ_TIME.parse(reply)[0] - time.time()) < 10


def test_a_lock_tells_who_holds_it() -> None:
    lock = locks.lock("there", lease=60)
    with lock:
        assert lock.locked()
        assert lock.owned()
    assert not lock.locked()


async def test_a_task_waits_for_a_lock_of_another() -> None:
    """Subscribing is the first thing that this event loop asks of its nodes."""
    async with locks.lock("there", lease=60):
        waiting = asyncio.create_task(locks.lock("there", lease=60, wait=60).aacquire())
        await asyncio.wait([waiting], timeout=0.2)
        assert not waiting.done()
    assert await waiting
    await client.aclose_all()


def test_more_threads_than_connections_wait_for_their_turn(
    settings: Settings, race: Callable[..., list[object]]
) -> None:
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = there | {"default": there["default"] | {"connections": 2}}
    client.close_all()
    name = COUNTER(name="crowded")
    race(20, lambda number: transport.execute_many(client.get(), [("INCR", name)] * 20))
    assert client.get().get(name) == "400"


async def test_more_tasks_than_connections_wait_for_their_turn() -> None:
    name, several = COUNTER(name="crowded"), client.async_transport("gateway")
    answers = await asyncio.gather(*(several.execute_many([("INCR", name)]) for _ in range(200)))
    assert sorted(reply for (reply,) in answers) == list(range(1, 201))
    await client.aclose_all()
