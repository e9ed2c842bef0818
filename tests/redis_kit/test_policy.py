from collections.abc import Iterator

import pytest

from apps.redis_kit import client, policy


@pytest.fixture(params=["allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random"])
def evicting(request: pytest.FixtureRequest) -> Iterator[str]:
    client.get().config_set("maxmemory-policy", request.param)
    yield request.param
    client.get().config_set("maxmemory-policy", "noeviction")


def test_noeviction_is_accepted() -> None:
    policy.refuse_evicting(client.get())


def test_a_policy_that_evicts_is_refused_with_the_way_out(evicting: str) -> None:
    with pytest.raises(
        policy.EvictingRedisError, match=f"{evicting}.*CONFIG SET maxmemory-policy noeviction"
    ):
        policy.refuse_evicting(client.get())
