from datetime import timedelta

import pytest
import redis
from redis.client import Pipeline

from apps.redis_kit import streams
from tests.redis_kit.keys import COUNTER
from tests.redis_kit.streams.stream_worker import (
    GROUP,
    STREAMS,
    RecordingHandler,
    add,
    drain,
    run,
    wait_until,
)
from tests.timing import best_seconds, measure_seconds


def test_entries_written_before_the_first_consumer_are_handled(handler: RecordingHandler) -> None:
    ids = add(5)
    drain(handler.consumer())
    assert handler.done == dict.fromkeys(ids, 1)


def test_finished_entries_are_gone(handler: RecordingHandler, guarded_redis: redis.Redis) -> None:
    add(250), add(30, STREAMS[1])
    drain(handler.consumer())
    assert [guarded_redis.xlen(stream) for stream in STREAMS] == [0, 0]
    assert streams.read_backlog(guarded_redis, STREAMS, GROUP) == streams.Backlog()


def test_a_batch_holds_entries_of_several_streams(handler: RecordingHandler) -> None:
    add(3), add(4, STREAMS[1])
    drain(handler.consumer())
    assert handler.batches == [7]


def test_no_batch_is_larger_than_asked(handler: RecordingHandler) -> None:
    add(25), add(25, STREAMS[1])
    drain(handler.consumer(batch=10))
    assert sum(handler.batches) == 50
    assert max(handler.batches) == 10


def test_after_a_small_batch_it_gathers_and_after_a_full_one_it_goes_on(handler: RecordingHandler) -> None:
    consumer = handler.consumer(batch=10, gather=timedelta(seconds=1))
    consumer.round()

    def handle(many: int) -> None:
        add(many)
        consumer.round()

    assert best_seconds(lambda: handle(10), below=1) < 1
    assert measure_seconds(lambda: handle(9)) >= 1
    assert best_seconds(lambda: handle(0), below=1) < 1


def test_a_stop_does_not_wait_for_more(handler: RecordingHandler) -> None:
    consumer = handler.consumer(gather=timedelta(seconds=600))
    consumer.round()
    add(1)
    thread = run(consumer)
    wait_until(lambda: len(handler.done) == 1)
    consumer.stop()
    thread.join(60)
    assert not thread.is_alive()


def test_two_consumers_share_the_work(handler: RecordingHandler) -> None:
    ids = add(300)
    consumers = [handler.consumer(batch=10) for _ in range(2)]
    threads = [run(consumer) for consumer in consumers]
    wait_until(lambda: len(handler.done) == 300)
    for consumer, thread in zip(consumers, threads, strict=True):
        consumer.stop()
        thread.join()
    assert handler.done == dict.fromkeys(ids, 1)


def test_consumers_of_one_process_have_names_of_their_own(handler: RecordingHandler) -> None:
    assert len({handler.consumer().name for _ in range(100)}) == 100


def test_what_follows_travels_with_the_acknowledgement(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    def after(pipe: Pipeline, entries: object) -> None:
        pipe.incrby(COUNTER(name="after"), len(entries))  # type: ignore[arg-type]

    add(5)
    consumer = handler.consumer(after=after)
    drain(consumer)
    assert guarded_redis.get(COUNTER(name="after")) == "5"


def test_what_follows_may_fail_without_stopping_the_loop(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    guarded_redis.set(COUNTER(name="after"), "words")
    add(1)
    drain(handler.consumer(after=lambda pipe, entries: pipe.incr(COUNTER(name="after"))))
    add(1)
    drain(handler.consumer())
    assert len(handler.done) == 2


@pytest.mark.usefixtures("quick_pauses")
@pytest.mark.parametrize("destroyed", ["stream", "group", "everything"])
def test_a_lost_stream_or_group_is_made_again(
    destroyed: str, handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    consumer = handler.consumer(block=timedelta(milliseconds=200))
    drain(consumer)
    thread = run(consumer)
    if destroyed == "stream":
        guarded_redis.delete(STREAMS[0])
    elif destroyed == "group":
        guarded_redis.xgroup_destroy(STREAMS[0], GROUP)
    else:
        guarded_redis.flushall()
    ids = add(3)
    wait_until(lambda: len(handler.done) == 3, seconds=60)
    consumer.stop()
    thread.join()
    assert handler.done == dict.fromkeys(ids, 1)


def test_a_last_id_that_was_set_back_finds_nothing_to_repeat(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    add(5)
    drain(handler.consumer())
    guarded_redis.xgroup_setid(STREAMS[0], GROUP, "0")
    drain(handler.consumer())
    assert set(handler.done.values()) == {1}


def test_the_backlog_tells_what_waits_and_how_long(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    consumer = handler.consumer()
    consumer.round()
    second, _ = guarded_redis.time()
    guarded_redis.xadd(STREAMS[0], {"n": 1}, id=f"{(second - 90) * 1000}-1")
    add(2)
    guarded_redis.xreadgroup(GROUP, "another", {STREAMS[0]: ">"}, count=1)
    backlog = streams.read_backlog(guarded_redis, STREAMS, GROUP)
    assert (backlog.lag, backlog.pending) == (2, 1)
    assert 89_000 <= backlog.oldest_ms < 92_000


def test_a_backlog_of_nothing_is_nothing(guarded_redis: redis.Redis) -> None:
    assert streams.read_backlog(guarded_redis, STREAMS, GROUP) == streams.Backlog()
    assert streams.read_backlog(guarded_redis, [], GROUP) == streams.Backlog()


def test_unread_entries_without_a_group_count_as_waiting(guarded_redis: redis.Redis) -> None:
    add(4)
    assert streams.read_backlog(guarded_redis, STREAMS, GROUP).lag == 4


def test_a_beat_comes_before_every_round(handler: RecordingHandler) -> None:
    beats: list[int] = []
    consumer = handler.consumer(beat=lambda: beats.append(1))
    consumer.round(), consumer.round()
    assert len(beats) == 2
