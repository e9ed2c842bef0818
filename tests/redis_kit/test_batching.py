"""Questions of one moment in one call, and nobody harmed by his neighbour."""

import asyncio
import time

import pytest
from redis.exceptions import ConnectionError as ConnectionLost

from apps.redis_kit.batching import (
    BUSY_TURN_SECONDS,
    MAX_YIELDED_TURNS,
    Batcher,
    call_one_by_one_on_error,
)


class DoublingStore:
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
async def store() -> DoublingStore:
    return DoublingStore()


async def test_what_comes_in_one_turn_goes_in_one_call(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100)
    assert await asyncio.gather(*map(batcher.submit, range(5))) == [0, 2, 4, 6, 8]
    assert store.batches == [[0, 1, 2, 3, 4]]


async def test_who_comes_while_a_call_is_under_way_goes_with_the_next(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100)
    store.open.clear()
    first = batcher.submit(1)
    await asyncio.sleep(0)
    later = [batcher.submit(number) for number in (2, 3, 4)]
    await asyncio.sleep(0)
    store.open.set()
    assert await asyncio.gather(first, *later) == [2, 4, 6, 8]
    assert store.batches == [[1], [2, 3, 4]]


async def test_a_call_is_bounded(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=3)
    await asyncio.gather(*map(batcher.submit, range(8)))
    assert [len(batch) for batch in store.batches] == [3, 3, 2]


async def test_one_bad_item_harms_only_itself(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100)
    said = await asyncio.gather(*map(batcher.submit, (1, 13, 3)), return_exceptions=True)
    assert said[::2] == [2, 6]
    assert isinstance(said[1], ValueError)


async def test_everybody_in_line_hears_that_the_store_is_away(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=2)
    store.away = True
    said = await asyncio.gather(*map(batcher.submit, range(7)), return_exceptions=True)
    assert {type(one) for one in said} == {ConnectionLost}
    assert len(store.batches) == 1
    store.away = False
    assert await batcher.submit(4) == 8


async def test_who_stops_waiting_is_not_asked_for(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100)
    store.open.clear()
    first = batcher.submit(1)
    await asyncio.sleep(0)
    gone, stays = batcher.submit(2), batcher.submit(3)
    gone.cancel()
    store.open.set()
    assert [await first, await stays] == [2, 6]
    assert store.batches == [[1], [3]]
    assert not batcher._queue
    await asyncio.sleep(0)
    assert not batcher._workers


async def test_two_calls_may_be_under_way_and_the_third_waits(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100, max_concurrent=2)
    store.open.clear()
    asked = []
    for number in (1, 2, 3, 4):
        asked.append(batcher.submit(number))
        await asyncio.sleep(0)
    assert store.batches == [[1], [2]]
    store.open.set()
    assert await asyncio.gather(*asked) == [2, 4, 6, 8]
    assert store.batches == [[1], [2], [3, 4]]


async def test_one_turn_is_one_call_even_where_two_may_be_under_way(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100, max_concurrent=2)
    await asyncio.gather(*map(batcher.submit, range(5)))
    assert store.batches == [[0, 1, 2, 3, 4]]


async def test_who_asks_in_the_moment_a_worker_ends_is_answered(store: DoublingStore) -> None:
    batcher = Batcher(store, max_batch=100)
    for number in range(200):
        assert await batcher.submit(number + 100) == 2 * (number + 100)


async def test_an_answer_that_is_an_error_is_raised_to_the_one_who_asked() -> None:
    async def call(items: list[int]) -> list[int | Exception]:
        return [ValueError(str(item)) if item == 13 else item for item in items]

    said = await asyncio.gather(*map(Batcher(call, max_batch=9).submit, (1, 13, 3)), return_exceptions=True)
    assert (said[0], str(said[1]), said[2]) == (1, "13", 3)


async def test_nothing_is_called_for_nobody(store: DoublingStore) -> None:
    assert await call_one_by_one_on_error(store, []) == []
    assert store.batches == []


async def test_answered_gives_the_error_in_its_place_and_an_absent_store_as_it_is(
    store: DoublingStore,
) -> None:
    said = await call_one_by_one_on_error(store, [1, 13, 3])
    assert (said[0], type(said[1]), said[2]) == (2, ValueError, 6)
    store.away = True
    with pytest.raises(ConnectionLost):
        await call_one_by_one_on_error(store, [1, 3])


async def test_batches_yield_to_a_busy_loop(store: DoublingStore) -> None:
    """Between two batches others have several turns, as long as theirs are long."""
    batcher, turns, is_over = Batcher(store, max_batch=1), [0], asyncio.Event()

    def take_long_turns() -> None:
        turns.append(turns[-1] + 1)
        ends = time.perf_counter() + 2 * BUSY_TURN_SECONDS
        while time.perf_counter() < ends:
            pass
        if not is_over.is_set():
            asyncio.get_running_loop().call_soon(take_long_turns)

    take_long_turns()
    await batcher.submit(1)
    began = turns[-1]
    await batcher.submit(2)
    is_over.set()
    assert store.batches == [[1], [2]]
    assert turns[-1] - began >= MAX_YIELDED_TURNS
