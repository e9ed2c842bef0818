import os
import signal
import threading
from collections.abc import Sequence
from datetime import timedelta

import pytest
import redis

from apps.demo import embedded_redis
from apps.redis_kit import streams
from tests.redis_kit.streams.stream_worker import (
    GROUP,
    STREAMS,
    Children,
    RecordingHandler,
    SqlAway,
    add,
    deliveries,
    drain,
    make_idle,
    run,
    wait_until,
)
from tests.redis_nodes import redis_urls

pytestmark = pytest.mark.usefixtures("quick_pauses")


def test_while_sql_is_away_the_batch_waits_and_no_delivery_counts(handler: RecordingHandler) -> None:
    ids = add(3)
    handler.sql_away = 50
    counted: list[list[int]] = []
    handler.during = lambda: counted.append(deliveries())
    drain(handler.consumer())
    assert handler.done == dict.fromkeys(ids, 1)
    assert not handler.buried
    assert counted == [[0, 0, 0]]


def test_nobody_takes_entries_that_wait_for_sql(handler: RecordingHandler) -> None:
    """Every try renews the hold, so `min_idle` never passes."""
    handler.consumer().round()
    (id_,) = add(1)
    idle: list[int] = []

    def look() -> None:
        rows = first._group.pending_entries(min_idle=timedelta())
        idle.extend(int(one.idle.total_seconds()) for one in rows)
        make_idle(29)

    handler.sql_away = 5
    first = handler.consumer(beat=look)
    drain(first)
    assert handler.done == {id_: 1}
    assert max(idle) < 30


def test_restarts_while_sql_is_away_bury_nothing(handler: RecordingHandler) -> None:
    """Ten deploys during an outage: each new consumer takes the entry over and meets the same outage."""
    (id_,) = add(1)
    for _ in range(10):
        consumer = handler.consumer()
        handler.sql_away = 10**9
        thread = run(consumer)
        left = handler.sql_away
        wait_until(lambda left=left: handler.sql_away < left)  # type: ignore[misc]
        consumer.stop()
        thread.join()
        make_idle()
    handler.sql_away = 0
    drain(handler.consumer())
    assert (handler.done, handler.buried) == ({id_: 1}, [])


def test_sql_that_goes_away_while_a_dead_letter_is_written_is_waited_for(handler: RecordingHandler) -> None:
    (bad,) = add(1, poison="x")
    buried = handler.bury

    def away_first(letters: Sequence[streams.DeadLetter]) -> None:
        buried(letters)

    handler.during = lambda: None
    consumer = handler.consumer(dead_letter=away_first, max_deliveries=1)
    handler.during = lambda: setattr(handler, "sql_away", 3)
    drain(consumer)
    assert [id_ for id_, _ in handler.buried] == [bad]


def test_connections_are_tidied_while_sql_is_away(handler: RecordingHandler) -> None:
    beats: list[int] = []
    add(1)
    handler.sql_away = 4
    consumer = handler.consumer(beat=lambda: beats.append(1))
    drain(consumer)
    assert len(beats) >= 4


def test_pauses_double_to_the_longest_and_are_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE_SECONDS", 0.2)
    monkeypatch.setattr(streams, "MAX_PAUSE_SECONDS", 5.0)
    runs = []
    for _ in range(50):
        pauses = streams.backoff_seconds()
        runs.append([next(pauses) for _ in range(10)])
    assert all(0.1 <= run[0] <= 0.2 and 2.5 <= run[9] <= 5 for run in runs)
    assert len({round(run[9], 3) for run in runs}) > 25


@pytest.mark.usefixtures("impatient_redis")
def test_an_absent_redis_is_waited_for(
    handler: RecordingHandler, redis_server: embedded_redis.Server
) -> None:
    consumer = handler.consumer(connection="default")
    drain(consumer)
    os.kill(redis_server.pid, signal.SIGSTOP)
    rounds = [consumer.round()]
    os.kill(redis_server.pid, signal.SIGCONT)
    ids = add(2)
    drain(consumer)
    assert (rounds, handler.done) == ([0], dict.fromkeys(ids, 1))


def test_a_blocked_consumer_whose_connection_is_cut_comes_back(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    consumer = handler.consumer(block=timedelta(seconds=1))
    drain(consumer, rounds=2)
    thread = run(consumer)
    servers = redis_urls.list_servers(guarded_redis)
    wait_until(lambda: any("xreadgroup" in str(server.client_list()) for server in servers))
    for server in servers:
        server.client_kill_filter(_type="normal", skipme=True)
    ids = add(2)
    wait_until(lambda: len(handler.done) == 2)
    consumer.stop()
    thread.join()
    assert handler.done == dict.fromkeys(ids, 1)


def test_a_stop_finishes_the_batch_and_leaves_nothing_behind(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go_on.wait(60)

    handler.during = hold
    consumer = handler.consumer()
    drain(consumer)
    thread = run(consumer)
    ids = add(5, STREAMS[1])
    assert begun.wait(60)
    consumer.stop()
    go_on.set()
    thread.join()
    assert set(handler.done) <= set(ids)
    assert guarded_redis.xpending(STREAMS[1], GROUP)["pending"] == 0
    assert guarded_redis.xinfo_consumers(STREAMS[1], GROUP) == []


def test_a_stop_while_sql_is_away_keeps_the_entries_for_another(
    handler: RecordingHandler, guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE_SECONDS", 100.0)
    monkeypatch.setattr(streams, "MAX_PAUSE_SECONDS", 100.0)
    (id_,) = add(1)
    handler.sql_away = 10**9
    consumer = handler.consumer()
    thread = run(consumer)
    wait_until(lambda: handler.sql_away < 10**9)
    consumer.stop()
    # Sooner than its next try.
    thread.join(60)
    assert not thread.is_alive()
    assert [one["pending"] for one in guarded_redis.xinfo_consumers(STREAMS[0], GROUP)] == [1]
    make_idle()
    handler.sql_away = 0
    drain(handler.consumer())
    assert handler.done == {id_: 1}


def test_sigterm_ends_the_loop_after_its_batch(
    handler: RecordingHandler, children: Children, guarded_redis: redis.Redis
) -> None:
    handler.consumer().round()
    ready, go = os.pipe()
    handler.during = lambda: os.read(ready, 1)
    child = children.start(handler.consumer().run)
    add(3)
    wait_until(lambda: bool(deliveries()))
    os.kill(child, signal.SIGTERM)
    os.write(go, b"the batch may end")
    assert children.ending(child) == 0
    assert guarded_redis.xpending(STREAMS[0], GROUP)["pending"] == 0
    assert guarded_redis.xinfo_consumers(STREAMS[0], GROUP) == []


def test_an_error_that_is_not_an_outage_is_not_waited_for(handler: RecordingHandler) -> None:
    def fail(entries: object) -> None:
        raise ValueError("not an outage")

    assert not issubclass(ValueError, SqlAway)
    add(1)
    consumer = handler.consumer(handle=fail)
    drain(consumer, rounds=20)
    assert [reason for _, reason in handler.buried] == ["ValueError: not an outage"]
