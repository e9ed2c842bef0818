"""Questions of one moment in one call, and nobody harmed by his neighbour."""

import asyncio

import pytest
from redis.exceptions import ConnectionError as ConnectionLost

from apps.redis_kit.batching import Batcher


class Store:
    """Doubles numbers, a batch a call; remembers the batches, and waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.away = False

    async def __call__(self, items: list[int]) -> list[int]:
        self.batches.append(items)
        await self.open.wait()
        if self.away:
            raise ConnectionLost("gone")
        if 13 in items:
            raise ValueError("13")
        return [2 * item for item in items]


@pytest.fixture
async def store() -> Store:
    return Store()


async def test_what_comes_in_one_turn_goes_in_one_call(store: Store) -> None:
    batcher = Batcher(store, most=100)
    assert await asyncio.gather(*map(batcher.ask, range(5))) == [0, 2, 4, 6, 8]
    assert store.batches == [[0, 1, 2, 3, 4]]


async def test_who_comes_while_a_call_is_under_way_goes_with_the_next(store: Store) -> None:
    batcher = Batcher(store, most=100)
    store.open.clear()
    first = batcher.ask(1)
    await asyncio.sleep(0)
    later = [batcher.ask(number) for number in (2, 3, 4)]
    await asyncio.sleep(0)
    store.open.set()
    assert await asyncio.gather(first, *later) == [2, 4, 6, 8]
    assert store.batches == [[1], [2, 3, 4]]


async def test_a_call_is_bounded(store: Store) -> None:
    batcher = Batcher(store, most=3)
    await asyncio.gather(*map(batcher.ask, range(8)))
    assert [len(batch) for batch in store.batches] == [3, 3, 2]


async def test_one_bad_item_harms_only_itself(store: Store) -> None:
    batcher = Batcher(store, most=100)
    said = await asyncio.gather(*map(batcher.ask, (1, 13, 3)), return_exceptions=True)
    assert said[::2] == [2, 6]
    assert isinstance(said[1], ValueError)


async def test_everybody_in_line_hears_that_the_store_is_away(store: Store) -> None:
    batcher = Batcher(store, most=2)
    store.away = True
    said = await asyncio.gather(*map(batcher.ask, range(7)), return_exceptions=True)
    assert {type(one) for one in said} == {ConnectionLost}
    assert len(store.batches) == 1
    store.away = False
    assert await batcher.ask(4) == 8


async def test_who_stops_waiting_is_not_asked_for(store: Store) -> None:
    batcher = Batcher(store, most=100)
    store.open.clear()
    first = batcher.ask(1)
    await asyncio.sleep(0)
    gone, stays = batcher.ask(2), batcher.ask(3)
    gone.cancel()
    store.open.set()
    assert [await first, await stays] == [2, 6]
    assert store.batches == [[1], [3]]
    assert not batcher._line
    assert batcher._worker is None
