"""One lock, one holder: what a caller sees."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
import redis
from redis.exceptions import LockError as TheirLockError

from apps.redis_kit import client, keys, locks
from apps.redis_kit.locks import protocol
from tests.races import Race
from tests.redis_kit.locks import lock_waiters

Kind = Callable[..., locks.Lock]
KINDS: list[Kind] = [locks.lock, locks.fair, locks.write]


def run_in_other_thread(act: Callable[[], object]) -> object:
    """What another thread hears."""
    heard: list[object] = []
    thread = threading.Thread(target=lambda: heard.append(act()))
    thread.start()
    thread.join()
    return heard[0]


@pytest.mark.parametrize("kind", KINDS)
def test_one_holds_and_another_is_refused(kind: Kind) -> None:
    with kind("a", lease=10):
        assert run_in_other_thread(lambda: kind("a", lease=10).acquire(blocking=False)) is False
    assert run_in_other_thread(lambda: kind("a", lease=10).acquire(blocking=False)) is True


def test_a_holder_takes_it_again_and_gives_back_as_often() -> None:
    outer, inner = locks.lock("a", lease=10), locks.lock("a", lease=10)
    with outer:
        with inner:
            assert outer.owned()
        assert outer.locked()
        assert outer.owned()
    assert not outer.locked()


def test_with_raises_what_acquire_answers() -> None:
    with locks.lock("a", lease=10):
        error = run_in_other_thread(
            lambda: pytest.raises(locks.NotAcquired, locks.lock("a", lease=10, wait=0).__enter__)
        )
    assert error


def test_releasing_what_is_not_held_raises() -> None:
    with pytest.raises(TheirLockError):
        locks.lock("a").release()


def test_releasing_what_ran_out_raises_and_harms_no_heir() -> None:
    first, heir = locks.lock("a", lease=10), locks.lock("a", lease=10)
    first.acquire()
    lock_waiters.end_leases("a")
    assert run_in_other_thread(lambda: heir.acquire(blocking=False)) is True
    with pytest.raises(locks.LockNotOwnedError):
        first.release()
    assert heir.locked()


def test_tokens_rise_with_every_acquisition() -> None:
    fences = []
    for _ in range(5):
        with locks.lock("a", lease=10) as hold:
            fences.append(hold.fence)
    assert fences == sorted(set(fences))


def test_tokens_rise_past_what_sql_saw_even_after_redis_was_lost(guarded_redis: redis.Redis) -> None:
    with locks.lock("a", lease=10) as hold:
        seen = hold.fence + 10**15
    guarded_redis.flushall()
    with locks.lock("a", lease=10, last_fence=seen) as hold:
        assert hold.fence > seen


def test_tokens_rise_after_redis_was_lost_without_a_word(guarded_redis: redis.Redis) -> None:
    with locks.lock("a", lease=10) as hold:
        seen = hold.fence
    guarded_redis.flushall()
    with locks.lock("a", lease=10) as hold:
        assert hold.fence > seen


def test_the_same_acquisition_asked_twice_counts_once() -> None:
    lock = locks.lock("a", lease=10)
    request = lock._request()
    first, second = (
        protocol.ACQUIRE(client.get(), keys=call.keys, args=call.args)
        for call in (request.acquire(join=False), request.acquire(join=False))
    )
    assert first == second
    assert client.get().zcard(keys.LOCK_HOLDERS(name="a")) == 1


def test_extending_moves_the_end() -> None:
    lock = locks.lock("a", lease=10)
    with lock as hold:
        assert lock.extend(20)
        assert 29 < hold.remaining < 31
        assert client.get().pttl(keys.LOCK_HOLDERS(name="a")) > 29_000
        lock.reacquire()
        assert client.get().pttl(keys.LOCK_HOLDERS(name="a")) <= 10_000


def test_what_ran_out_is_not_extended() -> None:
    lock = locks.lock("a", lease=10)
    lock.acquire()
    lock_waiters.end_leases("a")
    with pytest.raises(locks.LockNotOwnedError):
        lock.extend(10)


def test_a_hold_says_when_its_lease_is_over() -> None:
    lock = locks.lock("a", lease=10)
    with lock as hold:
        hold.check()
        hold.ends = time.monotonic()
        with pytest.raises(locks.LockNotOwnedError):
            hold.check()


def test_a_waiter_is_woken_by_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_SLEEP_SECONDS", 60.0)
    lock, heard = locks.lock("a", lease=60), list[float]()
    lock.acquire()

    def wait() -> None:
        locks.lock("a", lease=60).acquire(blocking_timeout=60)
        heard.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    lock_waiters.wait_until(lambda: lock_waiters.waiter_ids("a"))
    released = time.monotonic()
    lock.release()
    thread.join()
    assert heard[0] - released < protocol.MAX_SLEEP_SECONDS / 2


def test_a_wait_that_is_over_leaves_no_trace() -> None:
    with locks.fair("a", lease=10):
        assert run_in_other_thread(lambda: locks.fair("a", lease=10).acquire(blocking_timeout=0.05)) is False
        assert not client.get().exists(keys.LOCK_WAITERS(name="a"))


def test_every_key_expires() -> None:
    with locks.fair("a", lease=10):
        run_in_other_thread(lambda: locks.fair("a", lease=10)._request())
        for key in (keys.LOCK_HOLDERS(name="a"), keys.LOCK_STATE(name="a")):
            assert client.get().pttl(key) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_of_many_one_is_inside_at_a_time(kind: Kind, race: Race) -> None:
    inside, most = [], []

    def work(number: int) -> None:
        with kind("a", lease=60, wait=100):
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    assert race(40, work) == [None] * 40
    assert set(most) == {1}


def test_a_decorated_function_holds_it() -> None:
    @locks.lock("a", lease=10)
    def work(left: int) -> int:
        assert locks.lock("a").locked()
        return left and work(left - 1)

    assert work(3) == 0
    assert not locks.lock("a").locked()


@pytest_asyncio.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """The loop's connections end before it does."""
    yield
    await client.aclose_all()


async def test_tasks_are_holders_of_their_own() -> None:
    inside: list[int] = []

    async def work(number: int) -> None:
        async with locks.fair("a", lease=60, wait=60) as hold:
            inside.append(number)
            assert inside == [number]
            await asyncio.sleep(0)
            inside.remove(number)
            assert hold.fence

    await asyncio.gather(*(work(number) for number in range(20)))


async def test_a_decorated_coroutine_holds_it() -> None:
    @locks.lock("a", lease=10)
    async def work() -> bool:
        return bool(await client.aget().exists(keys.LOCK_HOLDERS(name="a")))

    assert await work() is True
    assert not await client.aget().exists(keys.LOCK_HOLDERS(name="a"))


async def test_a_cancelled_waiter_leaves_the_line() -> None:
    async with locks.fair("a", lease=60):
        waiter = asyncio.create_task(locks.fair("a", lease=60).aacquire())
        while not await client.aget().zcard(keys.LOCK_WAITERS(name="a")):
            await asyncio.sleep(0.005)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert not await client.aget().exists(keys.LOCK_WAITERS(name="a"))
