"""Several at once, in one order, or none."""

import threading

import pytest

from apps.redis_kit import client, keys, locks
from tests.races import Race


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
