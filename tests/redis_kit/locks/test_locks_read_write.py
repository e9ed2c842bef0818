"""Readers together, writers alone, and neither starves."""

import threading

import pytest

from apps.redis_kit import locks
from tests.races import Race
from tests.redis_kit.locks import lock_waiters


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
