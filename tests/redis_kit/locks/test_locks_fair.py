"""Turns: first come, first served; the dead are skipped, the frozen lose their turn."""

import time
from dataclasses import replace
from unittest.mock import ANY

import pytest

from apps.redis_kit import client, locks
from apps.redis_kit.locks import drivers, protocol
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
