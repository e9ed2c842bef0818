from collections.abc import Iterator

import pytest

from apps.redis_kit import cache, client, eviction
from apps.redis_kit.locks.lock import Lock
from apps.uv import counting, days
from apps.uv import keys as uv_keys
from apps.uv.page_kinds import Scope


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


@pytest.fixture
def budget() -> Iterator[eviction.MemoryBudget]:
    made = eviction.MemoryBudget("tests", connection="default", keys=[], quota=0.1, share=0.7)
    yield made
    eviction._budgets.remove(made)


@pytest.mark.parametrize(("percent", "is_spent"), [(50, False), (69, False), (72, True), (95, True)])
def test_an_area_stops_growing_at_its_share_of_the_memory(
    budget: eviction.MemoryBudget, percent: int, is_spent: bool
) -> None:
    used = int(client.get().info("memory")["used_memory"])
    client.get().config_set("maxmemory", used * 100 // percent)
    try:
        filled = eviction.read_filled_share(client.get())
        assert abs(filled - percent / 100) < 0.02
        budget.judge(percent / 100)
    finally:
        client.get().config_set("maxmemory", 0)
    assert budget.is_spent is is_spent


def test_a_server_without_a_limit_is_never_full(budget: eviction.MemoryBudget) -> None:
    budget.judge(0.9)
    assert budget.is_spent
    budget.judge(eviction.read_filled_share(client.get()))
    assert not budget.is_spent


def test_views_and_caches_are_spared_before_sales(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server fills: views stop first, then caches; other writes go on."""
    assert uv_keys.VIEWS_BUDGET.share < cache.BUDGET.share < 1
    monkeypatch.setattr(eviction, "_checked_at", float("-inf"))
    used = int(client.get().info("memory")["used_memory"])
    client.get().config_set("maxmemory", int(used / 0.9))
    try:
        eviction.check_budgets()
        assert (uv_keys.VIEWS_BUDGET.is_spent, cache.BUDGET.is_spent) == (True, True)
        counting.count(counting.View(Scope("shop", 7), "a" * 32))
        assert not client.get().exists(uv_keys.VIEWS(scope="shop", day=str(days.today())))
        lock = Lock("tests-of-memory", lease=5)
        assert lock.acquire(blocking=False), "what sales need goes on"
        lock.release()
    finally:
        client.get().config_set("maxmemory", 0)
        monkeypatch.setattr(eviction, "_checked_at", float("-inf"))
        eviction.check_budgets()
    assert (uv_keys.VIEWS_BUDGET.is_spent, cache.BUDGET.is_spent) == (False, False)
