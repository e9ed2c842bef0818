"""One look a moment for all who watch."""

import asyncio
from collections.abc import Sequence

import pytest
from redis.exceptions import ConnectionError as ConnectionLost

from apps.redis_kit import polling
from apps.redis_kit.polling import SharedPoller


class CountingStore:
    """Numbers that change, and how often and for whom somebody looked."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.looks: list[list[str]] = []
        self.away = False

    async def read(self, names: Sequence[str]) -> dict[str, int]:
        if self.away:
            raise ConnectionLost("away")
        self.looks.append(sorted(names))
        return {name: self.numbers[name] for name in names if name in self.numbers}


async def first_states(watch: SharedPoller[str, int], name: str, count: int) -> list[int]:
    """The first `count` states somebody hears."""
    heard: list[int] = []
    changes = watch.subscribe(name)
    async for state in changes:
        heard += [] if state is None else [state]
        if len(heard) == count:
            break
    await changes.aclose()  # type: ignore[attr-defined]
    return heard


async def test_everybody_hears_each_change_by_one_look() -> None:
    shelf = CountingStore()
    shelf.numbers = {"a": 1, "b": 5}
    watch = SharedPoller(shelf.read, interval=0.01)
    crowd = [asyncio.create_task(first_states(watch, "a", 2)) for _ in range(200)]
    other = asyncio.create_task(first_states(watch, "b", 1))
    assert await other == [5]
    shelf.numbers["a"] = 2
    assert await asyncio.gather(*crowd) == [[1, 2]] * 200
    assert len(shelf.looks) < 50
    assert watch.subscriber_count == 0


async def test_nobody_looks_when_nobody_watches() -> None:
    shelf = CountingStore()
    shelf.numbers = {"a": 1}
    watch = SharedPoller(shelf.read, interval=0.01)
    assert await first_states(watch, "a", 1) == [1]
    await asyncio.sleep(0.05)
    looked = len(shelf.looks)
    await asyncio.sleep(0.05)
    assert len(shelf.looks) == looked
    assert await first_states(watch, "a", 1) == [1]


async def test_quiet_is_told() -> None:
    watch = SharedPoller(CountingStore().read, interval=0.01)
    changes = watch.subscribe("nothing", heartbeat=0.02)
    assert await anext(changes) is None


async def test_what_changed_while_the_store_was_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "RETRY_SECONDS", 0.02)
    shelf = CountingStore()
    shelf.numbers = {"a": 1}
    watch = SharedPoller(shelf.read, interval=0.01)
    heard = asyncio.create_task(first_states(watch, "a", 2))
    await asyncio.sleep(0.05)
    shelf.away, shelf.numbers = True, {"a": 2}
    await asyncio.sleep(0.05)
    assert not heard.done()
    shelf.away = False
    assert await heard == [1, 2]


async def test_one_who_leaves_in_between_leaves_nothing() -> None:
    shelf = CountingStore()
    shelf.numbers = {"a": 1}
    watch = SharedPoller(shelf.read, interval=0.01)
    gone = asyncio.create_task(first_states(watch, "a", 5))
    await asyncio.sleep(0.03)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await asyncio.sleep(0)
    assert watch.subscriber_count == 0
