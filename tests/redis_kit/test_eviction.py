from collections.abc import Iterator

import pytest

from apps.redis_kit import client, eviction


@pytest.fixture(params=["allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random"])
def evicting(request: pytest.FixtureRequest) -> Iterator[str]:
    client.get().config_set("maxmemory-policy", request.param)
    yield request.param
    client.get().config_set("maxmemory-policy", "noeviction")


def test_noeviction_is_accepted() -> None:
    eviction.require_noeviction(client.get())


def test_a_policy_that_evicts_is_refused_with_the_way_out(evicting: str) -> None:
    with pytest.raises(
        eviction.EvictingRedisError, match=f"{evicting}.*CONFIG SET maxmemory-policy noeviction"
    ):
        eviction.require_noeviction(client.get())
