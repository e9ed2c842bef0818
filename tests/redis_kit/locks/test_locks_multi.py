"""Several at once, in one order, or none."""

import asyncio
import threading
from typing import cast

import pytest
import redis

from apps.redis_kit import client, keys, locks
from tests.races import Race
from tests.redis_kit.locks import lock_waiters


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
