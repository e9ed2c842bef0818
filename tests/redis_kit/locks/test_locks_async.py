"""The same family in an event loop."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from apps.redis_kit import client, keys, locks


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
