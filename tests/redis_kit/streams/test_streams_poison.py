import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
import redis
from redis import exceptions

from apps.redis_kit import client, fault_injection, streams
from tests.redis_kit.keys import DONE
from tests.redis_kit.streams.stream_worker import (
    GROUP,
    SEVERAL,
    STREAMS,
    Children,
    RecordingHandler,
    SeveralHandler,
    add,
    add_several,
    deliveries,
    drain,
    make_idle,
)
from tests.timing import best_seconds, measure_seconds

pytestmark = pytest.mark.usefixtures("quick_pauses")


def test_the_others_of_a_batch_go_in_around_the_culprit(handler: RecordingHandler) -> None:
    good, bad = add(99), add(1, poison="price")
    handler.consumer().round(), handler.consumer().round()
    consumer = handler.consumer()
    consumer.round()
    assert set(handler.done) == set(good)
    assert not set(handler.done) & set(bad)


def test_an_entry_that_keeps_failing_becomes_a_dead_letter_with_the_reason(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    (bad,) = add(1, poison="price")
    drain(handler.consumer())
    assert handler.buried == [(bad, "KeyError: 'price'")]
    assert guarded_redis.xlen(STREAMS[0]) == 0


def refusing(
    handler: RecordingHandler, calls: list[int]
) -> Callable[[list[streams.Entry]], list[streams.Refusal]]:
    """Handles all but those with a field "never"."""

    def handle(entries: list[streams.Entry]) -> list[streams.Refusal]:
        calls.append(len(entries))
        refused = [(entry, ValueError("never")) for entry in entries if "never" in entry.fields]
        handler.done.update(entry.id for entry in entries if "never" not in entry.fields)
        return list[streams.Refusal](refused)

    return handle


def test_what_is_named_as_refused_is_buried_at_once_and_the_batch_is_not_split(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    good, bad = add(98), add(2, never="x")
    calls: list[int] = []
    drain(handler.consumer(handle=refusing(handler, calls)))
    assert calls == [100]
    assert handler.done == dict.fromkeys(good, 1)
    assert handler.buried == [(id_, "ValueError: never") for id_ in bad]
    assert guarded_redis.xlen(STREAMS[0]) == 0


def test_a_refused_entry_without_a_place_among_the_dead_letters_comes_again(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    def no_room(*_: object) -> None:
        raise ValueError("no room")

    good, (bad,) = add(3), add(1, never="x")
    drain(handler.consumer(handle=refusing(handler, []), dead_letter=no_room), rounds=5)
    assert handler.done == dict.fromkeys(good, 1)
    there: Any = guarded_redis.xrange(STREAMS[0])
    assert [id_ for id_, _ in there] == [bad]
    make_idle()
    drain(handler.consumer(handle=refusing(handler, [])))
    assert handler.buried == [(bad, "ValueError: never")]


def test_one_letter_without_a_place_keeps_no_other_from_its_own(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    add(3, never="x")

    def no_room_for_the_second(letters: Sequence[streams.DeadLetter]) -> None:
        if any(entry.fields["n"] == "1" for entry, _ in letters):
            raise ValueError("no room")
        handler.bury(letters)

    consumer = handler.consumer(handle=refusing(handler, []), dead_letter=no_room_for_the_second)
    drain(consumer, rounds=2)
    assert len(handler.buried) == 2
    assert guarded_redis.xlen(STREAMS[0]) == 1


def test_sql_that_goes_away_while_a_refused_entry_is_buried_is_waited_for(handler: RecordingHandler) -> None:
    (bad,) = add(1, never="x")

    def handle(entries: list[streams.Entry]) -> list[streams.Refusal]:
        handler.sql_away = 3
        return [(entry, ValueError("never")) for entry in entries]

    drain(handler.consumer(handle=handle))
    assert handler.buried == [(bad, "ValueError: never")]


def test_it_is_tried_exactly_as_often_as_asked(handler: RecordingHandler) -> None:
    add(1, poison="price")
    drain(handler.consumer(max_deliveries=3))
    assert handler.batches == [1, 1, 1]
    assert len(handler.buried) == 1


def test_one_in_a_hundred_that_is_poison_stops_no_other(handler: RecordingHandler) -> None:
    bad = []
    for _ in range(5):
        add(99)
        bad += add(1, poison="x")
    drain(handler.consumer())
    assert len(handler.done) == 495
    assert sorted(id_ for id_, _ in handler.buried) == bad


def test_a_failing_entry_waits_longer_each_time(
    handler: RecordingHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.redis_kit.streams.FIRST_PAUSE_SECONDS", 10.0)
    monkeypatch.setattr("apps.redis_kit.streams.MAX_PAUSE_SECONDS", 100.0)
    add(1, poison="x")
    consumer = handler.consumer()
    consumer.round(), consumer.round(), consumer.round()
    assert len(handler.batches) == 1
    make_idle(11)
    consumer.round(), consumer.round()
    assert len(handler.batches) == 2
    make_idle(11)
    consumer.round()
    assert len(handler.batches) == 2


def test_a_dead_letter_box_that_fails_loses_nothing(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    def no_room(*_: object) -> None:
        raise ValueError("no room")

    (bad,) = add(1, poison="x")
    drain(handler.consumer(dead_letter=no_room), rounds=12)
    assert guarded_redis.xlen(STREAMS[0]) == 1
    make_idle()
    drain(handler.consumer())
    assert [id_ for id_, _ in handler.buried] == [bad]


def test_an_entry_that_kills_its_readers_is_buried_unread(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    """Five consumers died with it: nobody tries a sixth time."""
    consumer = handler.consumer()
    consumer.round()
    (bad,) = add(1)
    guarded_redis.xreadgroup(GROUP, "dead-1", {STREAMS[0]: ">"})
    for turn in range(2, 6):
        guarded_redis.xclaim(STREAMS[0], GROUP, f"dead-{turn}", 0, [bad])
    make_idle()
    drain(consumer)
    assert not handler.done
    assert handler.buried == [(bad, "delivered 5 times and never finished")]


def test_suspects_are_taken_one_by_one(handler: RecordingHandler, guarded_redis: redis.Redis) -> None:
    """What two consumers died with is claimed singly, so that one of them does not count against the rest."""
    consumer = handler.consumer()
    consumer.round()
    ids = add(10)
    guarded_redis.xreadgroup(GROUP, "dead-1", {STREAMS[0]: ">"})
    guarded_redis.xclaim(STREAMS[0], GROUP, "dead-2", 0, list[Any](ids))
    make_idle()
    seen: list[list[int]] = []
    handler.during = lambda: seen.append(sorted(deliveries(), reverse=True))
    consumer.redeliver()
    assert handler.batches == [1] * 10
    assert seen[0] == [3] + [2] * 9


def test_bytes_that_are_no_text_harm_nobody_else(
    handler: RecordingHandler, guarded_redis: redis.Redis
) -> None:
    guarded_redis.xadd(STREAMS[0], {b"\xff\xfe": b"\x00\xff"})
    ids = add(2)
    drain(handler.consumer())
    assert set(ids) <= set(handler.done)


def test_a_pending_entry_that_somebody_deleted_is_reported_and_let_go(
    handler: RecordingHandler, guarded_redis: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    consumer = handler.consumer(min_idle=timedelta())
    consumer.round()
    gone, kept = add(2)
    guarded_redis.xreadgroup(GROUP, "dead", {STREAMS[0]: ">"})
    guarded_redis.xdel(STREAMS[0], gone)
    drain(consumer)
    assert handler.done == {kept: 1}
    assert guarded_redis.xpending(STREAMS[0], GROUP)["pending"] == 0
    assert f"deleted before they were finished: {gone}" in caplog.text


@pytest.fixture
def several(handler: RecordingHandler) -> SeveralHandler:
    """A handler of entries with several parts."""
    return SeveralHandler()


def of_several(handler: RecordingHandler, several: SeveralHandler, **options: Any) -> streams.Consumer:
    chosen: dict[str, Any] = {"parts": SEVERAL, "handle": several.handle, "dead_letter": several.bury}
    return handler.consumer(**(chosen | options))


def test_a_batch_is_cut_by_the_parts_of_its_entries(
    handler: RecordingHandler, several: SeveralHandler
) -> None:
    for number in range(9):
        add_several(*[f"{number}-{part}" for part in range(4)])
    add_several(*[f"large-{part}" for part in range(25)])
    for number in range(30):
        add_several(f"single-{number}")
    drain(of_several(handler, several, batch=10))
    assert len(several.done) == sum(several.done.values()) == 36 + 25 + 30
    assert max(size for size in several.batches if size != 25) == 10
    assert several.batches.count(25) == 1


def test_a_read_takes_about_a_batch_of_parts(
    handler: RecordingHandler, several: SeveralHandler, guarded_redis: redis.Redis
) -> None:
    """What is read must be finished before it stops, and before others take it over."""
    consumer = of_several(handler, several, batch=12)
    consumer.round()
    for number in range(60):
        add_several(*[f"{number}-{part}" for part in range(4)])
    assert consumer.round() == 3
    guarded_redis.delete(STREAMS[0])
    consumer.round()
    for number in range(60):
        add_several(f"single-{number}")
    assert 12 <= consumer.round() <= 24


def test_after_parts_that_fill_a_batch_it_goes_on(handler: RecordingHandler, several: SeveralHandler) -> None:
    consumer = of_several(handler, several, batch=8, gather=timedelta(seconds=1))
    consumer.round()

    def handle(entries: int) -> None:
        for number in range(entries):
            add_several(*[f"{number}-{part}" for part in range(4)])
        consumer.round()

    assert best_seconds(lambda: handle(2), below=1) < 1
    assert measure_seconds(lambda: handle(1)) >= 1


def test_a_refused_part_is_buried_alone(
    handler: RecordingHandler, several: SeveralHandler, guarded_redis: redis.Redis
) -> None:
    first, second = add_several("a", "never-b", "c"), add_several("d", "never-e")
    drain(of_several(handler, several))
    assert several.done == dict.fromkeys("acd", 1)
    assert several.buried == [
        (f"{first}/2", "never-b", "ValueError: never"),
        (f"{second}/2", "never-e", "ValueError: never"),
    ]
    assert guarded_redis.xlen(STREAMS[0]) == 0


def test_an_entry_waits_until_its_refused_part_has_a_place(
    handler: RecordingHandler, several: SeveralHandler, guarded_redis: redis.Redis
) -> None:
    def no_room(letters: Sequence[streams.DeadLetter]) -> None:
        if any(entry.fields["text"] == "never-b" for entry, _ in letters):
            raise ValueError("no room")
        several.bury(letters)

    first = add_several("a", "never-b")
    add_several("c", "never-d")
    drain(of_several(handler, several, dead_letter=no_room), rounds=2)
    left: Any = guarded_redis.xrange(STREAMS[0])
    assert [id_ for id_, _ in left] == [first]
    assert [text for _, text, _ in several.buried] == ["never-d"]
    make_idle()
    drain(of_several(handler, several))
    assert {text for _, text, _ in several.buried} == {"never-b", "never-d"}
    assert guarded_redis.xlen(STREAMS[0]) == 0


def test_an_entry_that_fails_is_replaced_by_its_parts(
    handler: RecordingHandler, several: SeveralHandler, guarded_redis: redis.Redis
) -> None:
    """Nothing of it is buried but the bad part, after as many tries as an entry of one."""
    add_several("a", "poison", "b"), add_several("c", "d")
    drain(of_several(handler, several, max_deliveries=2))
    assert several.done == dict.fromkeys("abcd", 1)
    [(name, text, reason)] = several.buried
    assert (text, reason) == ("poison", "KeyError: 'poison'")
    assert "/" not in name
    assert guarded_redis.xlen(STREAMS[0]) == 0


@pytest.mark.parametrize(("deaths", "max_deliveries"), [(2, 5), (1, 1), (5, 5)])
def test_an_entry_that_may_kill_its_readers_is_replaced_unread(
    handler: RecordingHandler,
    several: SeveralHandler,
    guarded_redis: redis.Redis,
    deaths: int,
    max_deliveries: int,
) -> None:
    consumer = of_several(handler, several, max_deliveries=max_deliveries)
    consumer.round()
    bad = add_several("a", "b")
    guarded_redis.xreadgroup(GROUP, "dead-1", {STREAMS[0]: ">"})
    for turn in range(1, deaths):
        guarded_redis.xclaim(STREAMS[0], GROUP, f"dead-{turn}", 0, [bad])
    make_idle()
    assert consumer.redeliver() == 1
    assert (several.batches, several.buried) == ([], [])
    left: Any = guarded_redis.xrange(STREAMS[0])
    assert [fields for _, fields in left] == [{"text": "a"}, {"text": "b"}]
    assert guarded_redis.xpending(STREAMS[0], GROUP)["pending"] == 0
    drain(consumer)
    assert several.done == dict.fromkeys("ab", 1)


def test_a_split_that_is_repeated_or_comes_late_adds_nothing(
    handler: RecordingHandler, several: SeveralHandler, guarded_redis: redis.Redis
) -> None:
    consumer = of_several(handler, several)
    consumer.round()
    for finished in (False, True):
        id_ = add_several("a", "b")
        entry = streams.Entry(STREAMS[0], id_, {"texts": "a b"})
        guarded_redis.xreadgroup(GROUP, consumer.name, {STREAMS[0]: ">"})
        if finished:
            consumer._group.settle([entry])
        for _ in range(3):
            consumer._group.split(entry, SEVERAL.split(entry.fields))
        assert guarded_redis.xlen(STREAMS[0]) == (0 if finished else 2)
        drain(consumer)
    assert several.done == dict.fromkeys("ab", 1)


def test_a_consumer_that_dies_after_a_split_has_lost_nothing(
    handler: RecordingHandler, several: SeveralHandler, children: Children, guarded_redis: redis.Redis
) -> None:
    add_several("a", "poison", "b")

    def handle(entries: list[streams.Entry]) -> list[streams.Refusal]:
        refused = several.handle(entries)
        client.get().sadd(DONE(), *several.done)
        return refused

    def consume() -> None:
        fault_injection.arm("split:1")
        drain(of_several(handler, several, handle=handle))

    assert children.ending(children.start(consume)) == signal.SIGKILL
    left: Any = guarded_redis.xrange(STREAMS[0])
    assert [fields["text"] for _, fields in left] == ["a", "poison", "b"]
    make_idle()
    drain(of_several(handler, several, handle=handle, max_deliveries=1))
    assert guarded_redis.smembers(DONE()) == {"a", "b"}
    assert [text for _, text, _ in several.buried] == ["poison"]


def test_an_entry_that_cannot_be_split_comes_again(
    handler: RecordingHandler,
    several: SeveralHandler,
    guarded_redis: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_several("a", "poison")
    consumer = of_several(handler, several)

    def refuse(*_: object) -> None:
        raise exceptions.ResponseError("OOM command not allowed")

    with monkeypatch.context() as patched:
        patched.setattr(consumer._group, "split", refuse)
        drain(consumer, rounds=4)
    assert guarded_redis.xlen(STREAMS[0]) == 1
    drain(consumer)
    assert several.done == {"a": 1}
