import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis

from apps.redis_kit import client, fault_injection, streams
from tests.redis_kit.keys import DONE
from tests.redis_kit.streams.stream_worker import (
    GROUP,
    STREAMS,
    Children,
    RecordingHandler,
    add,
    drain,
    make_idle,
    run,
    wait_until,
)

pytestmark = pytest.mark.usefixtures("quick_pauses")


def record(entries: list[streams.Entry]) -> None:
    """Write entries where a killed process's work survives; the same entry twice changes nothing."""
    client.get().sadd(DONE(), *(entry.id for entry in entries))


def die_at(point: str, handler: RecordingHandler, children: Children, **options: Any) -> None:
    """A child process consumes until it kills itself at the crash point."""

    def consume() -> None:
        fault_injection.arm(point)
        consumer = handler.consumer(handle=record, **options)
        for _ in range(20):
            consumer.round()

    assert children.ending(children.start(consume)) == signal.SIGKILL, f"nobody passed {point}"


@pytest.mark.parametrize("point", ["read:1", "read:3", "handled:1", "handled:2", "settled:1", "settled:3"])
def test_what_a_killed_consumer_left_is_finished_by_another(
    point: str, handler: RecordingHandler, children: Children, guarded_redis: redis.Redis
) -> None:
    ids = add(40)
    die_at(point, handler, children, batch=10)
    make_idle()
    drain(handler.consumer(handle=record))
    assert guarded_redis.scard(DONE()) == len(ids) == 40
    assert [guarded_redis.xlen(stream) for stream in STREAMS] == [0, 0]


def test_a_consumer_killed_while_it_recovers_is_recovered_from(
    handler: RecordingHandler, children: Children, guarded_redis: redis.Redis
) -> None:
    add(5)
    for point in ("read:1", "handled:1"):
        die_at(point, handler, children)
        make_idle()
    drain(handler.consumer(handle=record))
    assert guarded_redis.scard(DONE()) == 5
    assert not handler.buried


def test_entries_of_the_living_are_not_taken(handler: RecordingHandler, guarded_redis: redis.Redis) -> None:
    consumer = handler.consumer()
    consumer.round()
    add(3)
    guarded_redis.xreadgroup(GROUP, "slow", {STREAMS[0]: ">"})
    make_idle(20)
    assert consumer.redeliver() == 0
    make_idle(20)
    assert consumer.redeliver() == 3


def test_only_one_of_many_takes_what_a_dead_one_left(
    handler: RecordingHandler, guarded_redis: redis.Redis, race: Callable[..., list[object]]
) -> None:
    consumers = [handler.consumer() for _ in range(8)]
    consumers[0].round()
    ids = add(50)
    guarded_redis.xreadgroup(GROUP, "dead", {STREAMS[0]: ">"})
    make_idle()
    race(8, lambda number: consumers[number].redeliver())
    assert handler.done == dict.fromkeys(ids, 1)


def test_a_robbed_consumer_does_no_harm_when_it_finishes_late(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    slow, robbed = threading.Event(), threading.Event()

    def wait_once() -> None:
        if not slow.is_set():
            slow.set()
            assert robbed.wait(60)

    handler.during = wait_once
    first, second = handler.consumer(), handler.consumer()
    first.round()
    (id_,) = add(1)
    thread = run(first)
    assert slow.wait(60)
    make_idle()
    drain(second)
    robbed.set()
    first.stop()
    thread.join()
    assert handler.done == {id_: 2}
    assert guarded_redis.xlen(STREAMS[0]) == 0


def test_entries_whose_delivery_never_arrived_are_found_again(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    """The server gave them to us, the answer was lost on the way: they are ours, and nobody works on them."""
    consumer = handler.consumer()
    consumer.round()
    ids = add(3)
    guarded_redis.xreadgroup(GROUP, consumer.name, {STREAMS[0]: ">"})
    make_idle(1)
    consumer.round()
    assert handler.done == dict.fromkeys(ids, 1)


def test_a_twin_under_the_same_name_repeats_but_loses_nothing(handler: RecordingHandler) -> None:
    first, twin = handler.consumer(), handler.consumer()
    twin._group.consumer = first._group.consumer
    first.round()
    ids = add(20)
    threads = [run(consumer) for consumer in (first, twin)]
    wait_until(lambda: len(handler.done) == 20)
    for consumer, thread in zip((first, twin), threads, strict=True):
        consumer.stop()
        thread.join()
    assert set(handler.done) == set(ids)


def test_consumers_that_died_idle_are_forgotten(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    handler.consumer().round()
    for number in range(50):
        guarded_redis.xgroup_createconsumer(STREAMS[0], GROUP, f"dead-{number}")
    add(1)
    guarded_redis.xreadgroup(GROUP, "holds-one", {STREAMS[0]: ">"})
    consumer = handler.consumer()
    consumer._group.dismiss()
    names = {one["name"] for one in guarded_redis.xinfo_consumers(STREAMS[0], GROUP)}
    assert names == {"holds-one"}


def test_a_consumer_seen_lately_is_not_forgotten(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    first, second = handler.consumer(), handler.consumer()
    for consumer in (first, second):
        add(1)
        drain(consumer)
    first._sweep_due = first._dismiss_due = 0
    first.round()
    names = {one["name"] for one in guarded_redis.xinfo_consumers(STREAMS[0], GROUP)}
    assert names == {first.name, second.name}


def test_entries_behind_the_group_are_read_again(
    handler: RecordingHandler, guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that came back older has such entries: nobody owns them, and nobody would read them."""
    monkeypatch.setattr(streams, "REWIND_SECONDS", 0.0)
    consumer = handler.consumer()
    consumer.round()
    ids = add(5)
    guarded_redis.xgroup_setid(STREAMS[0], GROUP, "$")
    drain(consumer)
    assert set(handler.done) == set(ids)
    assert guarded_redis.xlen(STREAMS[0]) == 0


def test_a_group_whose_entries_all_have_an_owner_stays_where_it_is(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    consumer, other = handler.consumer(), handler.consumer()
    consumer.round()
    add(3)
    assert len(other._group.read_new(count=2, block=timedelta(milliseconds=1))) == 2
    assert other._group.rewind() == 0
    assert len(other._group.read_new(count=9, block=timedelta(milliseconds=1))) == 1
