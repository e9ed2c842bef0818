import os
import signal
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import cache, client
from tests.races import Race
from tests.redis_kit.cache.cached_things import CountingSource, end_lease, make_cache, make_stale, read_all
from tests.redis_kit.keys import THING
from tests.redis_kit.streams.stream_worker import Children


@pytest.fixture(autouse=True)
def patient_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A load that a crowded machine delays is waited for all the same."""
    monkeypatch.setattr(cache, "LOAD_WAIT", timedelta(seconds=60))


@pytest.mark.parametrize("turn", range(3))
def test_two_hundred_readers_of_a_cold_key_load_it_once(
    turn: int, source: CountingSource, race: Race
) -> None:
    source.crowd = 200
    read = source.reader(make_cache(source).get)
    assert race(200, lambda _: read(1)) == [source.rows[1]] * 200
    assert source.loads[1] == 1


def test_readers_in_other_processes_wait_for_the_same_load(source: CountingSource) -> None:
    """Two caches share no thread's flight, as two processes don't: they meet in Redis alone."""
    source.crowd = 20
    caches = [source.reader(make_cache(source).get) for _ in range(20)]
    answers: list[object] = []
    readers = [threading.Thread(target=lambda one=one: answers.append(one(1))) for one in caches]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert (answers, source.loads[1]) == ([source.rows[1]] * 20, 1)


def test_a_stale_value_is_served_at_once_while_one_thread_loads(source: CountingSource, race: Race) -> None:
    cached = make_cache(source)
    cached.get(1)
    make_stale(1)
    source.rows[1] = "new"
    source.gate.clear()
    # Nobody waits for the load: it can't end before them.
    assert race(20, lambda _: cached.get(1)) == [{"name": "noodles"}] * 20
    source.gate.set()
    cache.load_limiter().finish()
    assert (cached.get(1), source.loads[1]) == ("new", 2)


def test_a_full_pool_serves_stale_and_queues_each_key_once(
    source: CountingSource, settings: Settings
) -> None:
    settings.CACHE_REFRESH_THREADS = 1
    cached = make_cache(source)
    read_all(cached, 1, 2)
    make_stale(1)
    make_stale(2)
    source.gate.clear()
    for _ in range(5):
        assert read_all(cached, 1, 2) == source.rows
        end_lease(2)
    source.gate.set()
    cache.load_limiter().finish()
    assert source.loads == {1: 2, 2: 2}


def test_past_the_queue_s_end_the_stale_value_goes_on_being_served(
    source: CountingSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_QUEUED_REFRESHES", 0)
    cached = make_cache(source)
    cached.get(1)
    make_stale(1)
    assert cached.get(1) == {"name": "noodles"}
    assert source.loads[1] == 1


def test_without_threads_the_reader_refreshes(source: CountingSource, settings: Settings) -> None:
    settings.CACHE_REFRESH_THREADS = 0
    cached = make_cache(source)
    cached.get(1)
    make_stale(1)
    source.rows[1] = "new"
    assert (cached.get(1), cached.get(1)) == ({"name": "noodles"}, "new")


def test_a_load_that_fails_is_an_error_for_its_reader_alone(source: CountingSource) -> None:
    cached = make_cache(source)
    source.failing = RuntimeError("no such table")
    with pytest.raises(RuntimeError, match="no such table"):
        cached.get(1)
    source.failing = None
    assert cached.get(1) == {"name": "noodles"}


def test_when_a_load_fails_one_of_those_who_wait_takes_over(source: CountingSource, race: Race) -> None:
    source.crowd = 20
    read = source.reader(make_cache(source, load=failing_first(source)).get)
    answers = race(20, lambda _: read(1))
    errors = [answer for answer in answers if isinstance(answer, RuntimeError)]
    assert (len(errors), answers.count({"name": "noodles"}), source.loads[1]) == (1, 19, 2)


def failing_first(source: CountingSource) -> Callable[[int], object]:
    def load(thing: int) -> object:
        row = source.load(thing)
        if source.loads[thing] == 1:
            raise RuntimeError("the first load fails")
        return row

    return load


def test_a_refresh_that_fails_leaves_the_old_value(source: CountingSource, settings: Settings) -> None:
    settings.CACHE_REFRESH_THREADS = 0
    cached = make_cache(source)
    cached.get(1)
    make_stale(1)
    source.failing = RuntimeError("no such table")
    assert [cached.get(1) for _ in range(5)] == [{"name": "noodles"}] * 5
    assert source.loads[1] == 2


def test_a_loader_that_was_killed_holds_nobody_up_past_its_lease(
    source: CountingSource, children: Children, guarded_redis: redis.Redis
) -> None:
    def die(thing: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    child = children.start(lambda: make_cache(source, load=die).get(1))
    assert children.ending(child) == signal.SIGKILL
    assert guarded_redis.hexists(THING(thing=1), "lease")
    end_lease(1)
    assert make_cache(source).get(1) == {"name": "noodles"}


def test_who_waits_too_long_loads_for_himself(
    source: CountingSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LOAD_WAIT", timedelta(milliseconds=30))
    client.get().hset(THING(thing=1), mapping={"lease": "another's", "lease_until": 2**53})
    client.get().pexpire(THING(thing=1), 1000)
    assert make_cache(source).get(1) == {"name": "noodles"}
    assert client.get().hget(THING(thing=1), "lease") == "another's"
