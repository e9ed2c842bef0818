import threading
from collections.abc import Callable, Iterator

import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import cache, client

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture(autouse=True)
def rested_caches() -> Iterator[None]:
    """No cache of an earlier test still spares a Redis that was away."""
    cache.forget()
    yield
    cache.forget()


@pytest.fixture
def redis_away(guarded_redis: redis.Redis, settings: Settings) -> Iterator[None]:
    """Nobody listens where the settings point."""
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {
        name: options | {"url": "unix:///nowhere/redis.sock"} for name, options in there.items()
    }
    client.forget()
    yield
    settings.REDIS_CONNECTIONS = there
    client.forget()


@pytest.fixture
def race() -> Race:
    """race(100, act) -> what act(0) … act(99) returned, all started at once; an exception is returned too."""

    def run(many: int, act: Callable[[int], object]) -> list[object]:
        start, answers = threading.Barrier(many), list[object]([None] * many)

        def one(number: int) -> None:
            start.wait()
            try:
                answers[number] = act(number)
            except Exception as error:
                answers[number] = error

        threads = [threading.Thread(target=one, args=[number]) for number in range(many)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    return run
