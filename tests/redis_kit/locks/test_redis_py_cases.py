"""The cases of redis-py's own tests of its Lock, as ours, each in a thread and in an event loop.

What test_locks.py proves already is not here. Source: redis-py 8, tests/test_lock.py and its asyncio twin.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import pytest
import pytest_asyncio
import redis
from redis.exceptions import ResponseError

from apps.redis_kit import client, keys, locks

#: call(lock, "acquire", …) calls `acquire` or awaits `aacquire`.
Ask = Callable[..., Awaitable[Any]]
HOLDERS = keys.LOCK_HOLDERS(name="a")


@pytest_asyncio.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """The loop's connections end before it does."""
    yield
    await client.aclose_all()


async def _ask_directly(lock: locks.Lock, verb: str, *args: Any, **options: Any) -> Any:
    return getattr(lock, verb)(*args, **options)


async def _ask_in_loop(lock: locks.Lock, verb: str, *args: Any, **options: Any) -> Any:
    return await getattr(lock, f"a{verb}")(*args, **options)


@pytest.fixture(params=[_ask_directly, _ask_in_loop], ids=["thread", "loop"])
def call(request: pytest.FixtureRequest) -> Ask:
    """A way to call a lock."""
    found: Ask = request.param
    return found


def lock(**options: Any) -> locks.Lock:
    return locks.lock("a", **{"lease": 10.0} | options)


async def as_other(call: Ask, lock: locks.Lock, verb: str, *args: Any, **options: Any) -> Any:
    """What another task hears: it is another owner."""
    return await asyncio.create_task(_coroutine(call(lock, verb, *args, **options)))


async def _coroutine(waiting: Awaitable[Any]) -> Any:
    return await waiting


def end_leases(server: redis.Redis) -> None:
    """Let every lease have ended a second ago, and the key stay: nobody has asked since."""
    server.persist(HOLDERS)
    for member in cast(list[str], server.zrange(HOLDERS, 0, -1)):
        server.zincrby(HOLDERS, -11_000, member)
    server.expire(HOLDERS, 60)


async def test_acquire_and_release(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    assert await call(mine, "acquire", blocking=False)
    assert guarded_redis.zcard(HOLDERS) == 1
    await call(mine, "release")
    assert not guarded_redis.exists(HOLDERS)


async def test_locked_says_whether_anybody_holds_it(call: Ask) -> None:
    mine, watcher = lock(), lock()
    assert not watcher.locked()
    await call(mine, "acquire")
    assert mine.locked()
    assert watcher.locked()
    await call(mine, "release")
    assert not watcher.locked()


async def test_a_lease_that_ended_locks_nothing(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    end_leases(guarded_redis)
    assert guarded_redis.exists(HOLDERS)
    assert not mine.locked()
    assert not mine.owned()


async def test_owned_is_the_holder_s_alone(call: Ask) -> None:
    mine = lock()
    assert not mine.owned()
    await call(mine, "acquire")
    assert mine.owned()
    assert await as_other(_ask_directly, mine, "owned") is False
    await call(mine, "release")
    assert not mine.owned()


async def test_another_holder_is_refused_until_the_release(call: Ask) -> None:
    mine, other = lock(), lock()
    assert await call(mine, "acquire", blocking=False)
    assert not await as_other(call, other, "acquire", blocking=False)
    await call(mine, "release")
    assert await as_other(call, other, "acquire", blocking=False)


@pytest.mark.parametrize("seconds", [10, 9.5])
async def test_the_key_lives_as_long_as_the_lease(
    call: Ask, guarded_redis: redis.Redis, seconds: float
) -> None:
    await call(lock(lease=seconds), "acquire")
    assert 5_000 < guarded_redis.pttl(HOLDERS) <= seconds * 1_000


async def test_the_wait_of_the_lock_is_kept(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    began = time.monotonic()
    assert not await as_other(call, lock(wait=0.2), "acquire")
    assert time.monotonic() - began >= 0.2


async def test_a_wait_of_the_call_goes_before_the_lock_s(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    assert not await as_other(call, lock(wait=3_600), "acquire", blocking_timeout=0.05)


async def test_not_blocking_goes_before_every_wait(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    assert not await as_other(call, lock(wait=3_600), "acquire", blocking=False, blocking_timeout=3_600)


async def test_a_negative_wait_is_none(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    assert not await as_other(call, lock(wait=3_600), "acquire", blocking_timeout=-1)


async def test_a_waiter_gets_it_when_it_is_released(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    waiting = asyncio.create_task(_coroutine(_ask_in_loop(lock(), "acquire", blocking_timeout=60)))
    await asyncio.sleep(0)
    await call(mine, "release")
    assert await waiting


async def test_releasing_what_was_never_taken_raises(call: Ask) -> None:
    with pytest.raises(locks.LockError, match="not held here"):
        await call(lock(), "release")


async def test_releasing_twice_raises(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")
    await call(mine, "release")
    with pytest.raises(locks.LockError):
        await call(mine, "release")


async def test_releasing_what_is_another_s_raises(call: Ask) -> None:
    shared = lock()
    await call(shared, "acquire")
    with pytest.raises(locks.LockError):
        await as_other(call, shared, "release")
    assert shared.owned()


async def test_releasing_what_was_lost_raises_and_forgets_it(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    guarded_redis.delete(HOLDERS)
    with pytest.raises(locks.LockNotOwnedError):
        await call(mine, "release")
    assert mine._holds_by_owner == {}


@pytest.mark.parametrize("seconds", [10, 9.5])
async def test_extending_adds_to_the_lease(call: Ask, guarded_redis: redis.Redis, seconds: float) -> None:
    mine = lock()
    await call(mine, "acquire")
    assert await call(mine, "extend", seconds)
    assert 15_000 < guarded_redis.pttl(HOLDERS) <= 10_000 + seconds * 1_000


async def test_extending_may_replace_the_lease(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    assert await call(mine, "extend", 8, replace_ttl=True)
    assert 4_000 < guarded_redis.pttl(HOLDERS) <= 8_000


async def test_extending_what_is_not_held_raises(call: Ask) -> None:
    with pytest.raises(locks.LockError, match="not held here"):
        await call(lock(), "extend", 10)


async def test_extending_what_was_lost_raises(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    guarded_redis.delete(HOLDERS)
    with pytest.raises(locks.LockNotOwnedError):
        await call(mine, "extend", 10)


async def test_a_lock_that_the_watchdog_renews_may_be_extended(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock(lease=None)
    await call(mine, "acquire")
    assert await call(mine, "extend", 100, replace_ttl=True)
    assert guarded_redis.pttl(HOLDERS) > 60_000
    await call(mine, "release")


async def test_reacquiring_begins_the_lease_anew(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    await call(mine, "extend", 60)
    assert guarded_redis.pttl(HOLDERS) > 60_000
    assert await call(mine, "reacquire")
    assert 5_000 < guarded_redis.pttl(HOLDERS) <= 10_000


async def test_reacquiring_what_is_not_held_raises(call: Ask) -> None:
    with pytest.raises(locks.LockError, match="not held here"):
        await call(lock(), "reacquire")


async def test_reacquiring_what_was_lost_raises(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    await call(mine, "acquire")
    end_leases(guarded_redis)
    with pytest.raises(locks.LockNotOwnedError):
        await call(mine, "reacquire")


async def test_leaving_a_block_whose_lock_was_lost_raises(guarded_redis: redis.Redis) -> None:
    with pytest.raises(locks.LockNotOwnedError):
        async with lock():
            guarded_redis.delete(HOLDERS)
    with pytest.raises(locks.LockNotOwnedError), lock():
        guarded_redis.delete(HOLDERS)


async def test_a_block_that_gets_no_lock_is_not_entered(call: Ask) -> None:
    mine = lock()
    await call(mine, "acquire")

    async def enter() -> None:
        async with lock(wait=0.05):
            pytest.fail("it was taken")

    with pytest.raises(locks.NotAcquired):
        await asyncio.create_task(enter())


async def test_an_error_names_the_lock(call: Ask, guarded_redis: redis.Redis) -> None:
    mine = lock()
    with pytest.raises(locks.LockError) as unlocked:
        await call(mine, "release")
    await call(mine, "acquire")
    guarded_redis.delete(HOLDERS)
    with pytest.raises(locks.LockNotOwnedError) as lost:
        await call(mine, "extend", 5)
    assert (unlocked.value.lock_name, lost.value.lock_name) == ("a", "a")


async def test_a_key_of_another_type_is_refused_and_left_alone(call: Ask, guarded_redis: redis.Redis) -> None:
    guarded_redis.set(HOLDERS, "planted", ex=60)
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        await call(lock(), "acquire", blocking=False)
    assert guarded_redis.get(HOLDERS) == "planted"
    guarded_redis.delete(HOLDERS)


@pytest.mark.parametrize("lease", [0, -1, 0.0001])
def test_a_lease_of_less_than_a_millisecond_is_refused(lease: float) -> None:
    with pytest.raises(ValueError, match="millisecond"):
        lock(lease=lease)
