from collections.abc import Iterator

import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import cache, client


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
