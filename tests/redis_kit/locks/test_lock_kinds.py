"""Fair locks give turns in order, read-write locks starve nobody, several locks are taken in one order."""

import asyncio
import threading
import time
from dataclasses import replace
from typing import cast
from unittest.mock import ANY

import pytest
import redis

from apps.redis_kit import client, keys, locks
from apps.redis_kit.locks import drivers, protocol
from tests.races import Race
from tests.redis_kit.locks import lock_waiters


@pytest.fixture
def patient_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crowded machine loses nobody's turn, and nobody looks again before he is called."""
    monkeypatch.setattr(protocol, "WAKE_GRACE_MS", 100_000)
    monkeypatch.setattr(protocol, "MAX_SLEEP_SECONDS", 100.0)


@pytest.mark.usefixtures("patient_turns")
def test_turns_are_kept() -> None:
    served: list[int] = []

    def work(number: int) -> None:
        with locks.fair("a", lease=60, wait=200):
            served.append(number)

    with locks.fair("a", lease=60):
        threads = [lock_waiters.start_waiter("a", lambda number=number: work(number)) for number in range(12)]  # type: ignore[misc]
    for thread in threads:
        thread.join()
    assert served == list(range(12))


def test_a_hundred_dead_waiters_are_skipped_by_one_release() -> None:
    lock_waiters.add_dead_waiters("a", 100)
    with locks.fair("a", lease=60):
        came: list[float] = []
        thread = lock_waiters.start_waiter("a", lambda: came.append(served_at()))
        lock_waiters.add_dead_waiters("a", 100)
        released = time.monotonic()
    thread.join()
    # One after the other they would keep it for a second each.
    assert came[0] - released < 50
    assert lock_waiters.waiter_ids("a") == []


def test_a_newcomer_does_not_pass_a_living_waiter() -> None:
    holder = locks.fair("a", lease=60)
    holder.acquire()
    thread = lock_waiters.start_waiter("a", locks.fair("a", lease=60, wait=200).acquire)
    # The holder is gone, but nobody has told the waiter yet.
    lock_waiters.end_leases("a")
    assert locks.fair("a", lease=60).acquire(blocking=False) is False
    thread.join()


def test_a_newcomer_passes_the_dead() -> None:
    lock_waiters.add_dead_waiters("a", 3)
    assert locks.fair("a", lease=60).acquire(blocking=False)


def test_who_was_woken_and_did_not_come_loses_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "WAKE_GRACE_MS", 50)
    frozen = replace(locks.fair("a", lease=60)._request(), owner="frozen")
    with locks.fair("a", lease=60), client.get("waiting").pubsub() as ears:
        ears.subscribe(frozen.channels + frozen.acquisition)
        lock_waiters.wait_until(lambda: ears.get_message(timeout=1))
        assert drivers.call(frozen.acquire(join=True), client.get()) == (protocol.Answer.TAKEN, ANY, ANY)
        thread = lock_waiters.start_waiter("a", locks.fair("a", lease=60, wait=200).acquire)
    # It hears the word and never asks: the next one's turn comes after COME_WITHIN.
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.one_server("its subscribers and commands are counted")
@pytest.mark.usefixtures("patient_turns")
def test_a_hand_over_costs_a_few_commands_and_wakes_one(round_trips: list[object]) -> None:
    with locks.fair("a", lease=60):
        threads = [lock_waiters.start_waiter("a", lambda: release_to_next(0)) for _ in range(6)]
        lock_waiters.wait_until(lambda: len(client.get().pubsub_channels()) == 6)
        lock_waiters.wait_until(lambda: len(lock_waiters.waiter_ids("a")) == 6)
        round_trips.clear()
    for thread in threads:
        thread.join()
    # Each of six is woken once: it asks, releases, and gives its channel up.
    assert len(round_trips) <= 6 * 4 + 2


def served_at() -> float:
    with locks.fair("a", lease=60, wait=200):
        return time.monotonic()


def release_to_next(_: int) -> None:
    with locks.fair("a", lease=60, wait=200):
        pass


def acquired_by_other_thread(lock: locks.Lock) -> bool:
    """Whether another thread gets it at once."""
    heard: list[bool] = []
    thread = threading.Thread(target=lambda: heard.append(lock.acquire(blocking=False)))
    thread.start()
    thread.join()
    return heard[0]


def test_readers_read_together_and_keep_the_writer_out() -> None:
    with locks.read("a", lease=60):
        assert acquired_by_other_thread(locks.read("a", lease=60))
        assert not acquired_by_other_thread(locks.write("a", lease=60))


def test_a_writer_keeps_everybody_out() -> None:
    with locks.write("a", lease=60):
        assert not acquired_by_other_thread(locks.read("a", lease=60))
        assert not acquired_by_other_thread(locks.write("a", lease=60))


def test_a_writer_may_read_and_write_again() -> None:
    with locks.write("a", lease=60), locks.read("a", lease=60), locks.write("a", lease=60):
        assert not acquired_by_other_thread(locks.read("a", lease=60))


def test_a_writer_who_goes_on_reading_lets_readers_in() -> None:
    writer, reader = locks.write("a", lease=60), locks.read("a", lease=60)
    writer.acquire()
    reader.acquire()
    writer.release()
    assert acquired_by_other_thread(locks.read("a", lease=60))
    assert not acquired_by_other_thread(locks.write("a", lease=60))


def test_a_reader_who_asks_to_write_is_refused_instead_of_waiting_for_ever() -> None:
    with locks.read("a", lease=60), pytest.raises(locks.UpgradeRefused):
        locks.write("a", lease=60, wait=60).acquire()


def test_a_waiting_writer_is_not_passed_by_readers() -> None:
    served: list[str] = []

    def enter(lock: locks.Lock, name: str) -> None:
        with lock:
            served.append(name)

    with locks.read("a", lease=60):
        writer = lock_waiters.start_waiter("a", lambda: enter(locks.write("a", lease=60, wait=60), "writer"))
        assert not acquired_by_other_thread(locks.read("a", lease=60))
        late = lock_waiters.start_waiter("a", lambda: enter(locks.read("a", lease=60, wait=60), "reader"))
    for thread in (writer, late):
        thread.join()
    assert served == ["writer", "reader"]


def test_one_release_lets_all_waiting_readers_in() -> None:
    together = threading.Barrier(5, timeout=60)

    def read() -> None:
        with locks.read("a", lease=60, wait=60):
            together.wait()

    with locks.write("a", lease=60):
        threads = [lock_waiters.start_waiter("a", read) for _ in range(5)]
    for thread in threads:
        thread.join()
    assert not together.broken


def test_readers_and_writers_in_a_storm_never_meet(race: Race) -> None:
    readers, writers, wrong = set[int](), set[int](), list[str]()

    def work(number: int) -> None:
        mine, lock = (writers, locks.write) if number % 4 == 0 else (readers, locks.read)
        with lock("a", lease=60, wait=100):
            mine.add(number)
            if len(writers) > 1 or (writers and readers):
                wrong.append(f"{writers} beside {readers}")
            mine.remove(number)

    assert race(40, work) == [None] * 40
    assert wrong == []


def lock(name: str) -> locks.Lock:
    return locks.lock(name, lease=60)


def test_all_are_held_in_the_order_of_their_names() -> None:
    with locks.multi(lock("b"), lock("a")) as holds:
        assert [hold.request.name for hold in holds] == ["a", "b"]
        assert lock("a").locked()
        assert lock("b").locked()
    assert not lock("a").locked()
    assert not lock("b").locked()


def test_when_one_is_taken_none_is_held() -> None:
    taken = threading.Thread(target=lock("b").acquire)
    taken.start()
    taken.join()
    with pytest.raises(locks.NotAcquired), locks.multi(lock("a"), lock("b"), wait=0.05):
        pytest.fail("b was taken")
    assert not lock("a").locked()


def test_two_that_want_each_others_locks_both_come_through(race: Race) -> None:
    def work(number: int) -> None:
        names = ("a", "b") if number % 2 else ("b", "a")
        with locks.multi(*map(lock, names), wait=100):
            pass

    assert race(20, work) == [None] * 20


@pytest.mark.parametrize("is_async", [False, True])
def test_a_lease_that_ended_while_another_was_waited_for_lets_nobody_in(
    is_async: bool, guarded_redis: redis.Redis
) -> None:
    """The lease of `a` ends while `b` is another's."""
    mine, rival = lock("a"), lock("b")
    release_b = threading.Event()

    def hold_b() -> None:
        with rival:
            assert release_b.wait(60)

    def end_a_then_release_b() -> None:
        key = keys.LOCK_HOLDERS(name="a")
        lock_waiters.wait_until(lambda: bool(guarded_redis.exists(key)))
        (member,) = cast(list[str], guarded_redis.zrange(key, 0, -1))
        guarded_redis.zadd(key, {member: 1})
        release_b.set()

    threads = [threading.Thread(target=hold_b), threading.Thread(target=end_a_then_release_b)]
    threads[0].start()
    lock_waiters.wait_until(rival.locked)
    threads[1].start()
    with pytest.raises(locks.NotAcquired, match="lease of a ended"):
        asyncio.run(_enter(mine)) if is_async else _enter_here(mine)
    for thread in threads:
        thread.join()
    assert not lock("a").locked()
    assert not lock("b").locked()


def _enter_here(mine: locks.Lock) -> None:
    with locks.multi(mine, lock("b"), wait=60):
        pytest.fail("one of them had ended")


async def _enter(mine: locks.Lock) -> None:
    try:
        async with locks.multi(mine, lock("b"), wait=60):
            pytest.fail("one of them had ended")
    finally:
        await client.aclose_all()


def test_every_lease_begins_anew_when_all_are_taken(guarded_redis: redis.Redis) -> None:
    outer = lock("a")
    outer.acquire()
    outer.extend(5, replace_ttl=True)
    with locks.multi(outer, lock("b")):
        assert guarded_redis.pttl(keys.LOCK_HOLDERS(name="a")) > 30_000
    outer.release()


def test_a_name_twice_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="once"):
        locks.multi(lock("a"), lock("a"))


def test_a_plain_lock_excludes_and_frees() -> None:
    with locks.plain("a", lease=10), pytest.raises(locks.NotAcquired), locks.plain("a", lease=10):
        pytest.fail("it was taken")
    with locks.plain("a", lease=10):
        pass


def test_a_plain_lock_that_ran_out_is_not_taken_from_its_heir() -> None:
    with pytest.raises(locks.LockNotOwnedError), locks.plain("a", lease=10):
        client.get().set(keys.PLAIN_LOCK(name="a"), "the heir", ex=10)
    assert client.get().get(keys.PLAIN_LOCK(name="a")) == "the heir"
