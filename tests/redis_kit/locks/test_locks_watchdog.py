"""Leases that are renewed while the holder lives."""

import threading

import pytest
import redis

from apps.redis_kit import keys, locks
from apps.redis_kit.locks import holding
from tests.redis_kit.locks import lock_waiters


@pytest.fixture(autouse=True)
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    # A renewal comes after a third of it: a crowded machine may be late by the rest.
    monkeypatch.setattr(holding, "LEASE_SECONDS", 2.4)


def watched() -> bool:
    """Whether there is a watchdog: its thread lives as long as it has a lock to watch."""
    return any(thread.name == "lock watchdog" for thread in threading.enumerate())


def test_a_lock_without_a_lease_outlives_it_while_the_holder_works() -> None:
    with locks.lock("a") as hold:
        first = hold.ends
        lock_waiters.wait_until(lambda: hold.ends > first + 0.5)
        assert locks.lock("a").locked()
        hold.check()
    assert not locks.lock("a").locked()


def test_a_holder_that_dies_is_not_renewed() -> None:
    thread = threading.Thread(target=locks.lock("a").acquire)
    thread.start()
    thread.join()
    lock_waiters.wait_until(lambda: not locks.lock("a").locked(), seconds=60)


def test_the_holder_of_a_lost_lock_is_told(guarded_redis: redis.Redis) -> None:
    lock = locks.lock("a")
    lock.acquire()
    guarded_redis.delete(keys.LOCK_HOLDERS(name="a"))
    assert lock.hold.lost.wait(60)
    with pytest.raises(locks.LockNotOwnedError):
        lock.hold.check()
    with pytest.raises(locks.LockNotOwnedError):
        lock.release()


def test_nothing_is_watched_after_the_release() -> None:
    with locks.lock("a"):
        assert watched()
    lock_waiters.wait_until(lambda: not watched())


def test_a_watched_lock_in_a_lease_of_its_own_is_left_alone() -> None:
    lock_waiters.wait_until(lambda: not watched())
    with locks.lock("a", lease=5):
        assert not watched()
