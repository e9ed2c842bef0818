"""An area that strangers fill loses keys before anything else is refused; all others keep theirs."""

from collections.abc import Iterator

import pytest
import redis
from django.test import Client

from apps.metrics.gauges import GAUGES
from apps.monitoring import memory
from apps.redis_kit import cache, eviction, schema
from apps.redis_kit.keys import LIMIT, LOCK_STATE
from apps.search.keys import RECENT_SEARCHES, SEARCHES_BUDGET
from apps.uv.keys import RECENT, VIEWS_BUDGET

#: Of a planted key: some thousand keys are past a quota of 2 MB.
VALUE_BYTES = 2_000


def plant(connected: redis.Redis, declaration: schema.Key, count: int, **fixed: str) -> None:
    (varied,) = set(declaration.fields) - set(fixed)
    with connected.pipeline(transaction=False) as pipe:
        for number in range(count):
            name = declaration(**fixed, **{varied: f"planted{number}"})
            if declaration.type == "zset":
                pipe.zadd(name, {"x" * VALUE_BYTES: 1})
            else:
                pipe.set(name, "x" * VALUE_BYTES)
            pipe.expire(name, 60)
        pipe.execute()


def count_keys(connected: redis.Redis, declaration: schema.Key) -> int:
    return sum(map(declaration.matches, connected.scan_iter(count=1_000)))


def use_of(budget: eviction.MemoryBudget) -> eviction.AreaUse:
    return next(use for use in eviction.read_uses() if use.area == budget.area)


@pytest.fixture
def limited_redis(guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """A server of 20 MB, of which a tenth is 2 MB; every walk over its keys has the time that it takes."""
    monkeypatch.setattr(eviction, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(memory, "MAX_SCAN_SECONDS", 60.0)
    monkeypatch.setattr(memory, "SHED_SECONDS", 60.0)
    guarded_redis.config_set("maxmemory", 20_000_000)
    yield guarded_redis
    guarded_redis.config_set("maxmemory", 0)
    eviction.save_uses([eviction.AreaUse("views", 0, 0)])
    eviction.check_budgets()
    guarded_redis.flushdb()


@pytest.mark.one_server("a server's own maxmemory")
def test_an_area_past_its_quota_stops_growing_and_is_shed(limited_redis: redis.Redis) -> None:
    plant(limited_redis, RECENT, 2_000)
    plant(limited_redis, LOCK_STATE, 50)
    plant(limited_redis, RECENT_SEARCHES, 50)
    deleted = memory.enforce_quotas()
    over = use_of(VIEWS_BUDGET)
    assert over.is_over
    assert deleted == 2_000 - count_keys(limited_redis, RECENT)
    assert count_keys(limited_redis, RECENT_SEARCHES) == 50
    assert count_keys(limited_redis, LOCK_STATE) == 50
    eviction.check_budgets()
    assert (VIEWS_BUDGET.is_spent, cache.BUDGET.is_spent, SEARCHES_BUDGET.is_spent) == (True, False, False)
    assert memory.enforce_quotas() == 0, "it is below its quota now"
    assert 0.8 * over.allowed < use_of(VIEWS_BUDGET).used < over.allowed
    eviction.check_budgets()
    assert not VIEWS_BUDGET.is_spent


@pytest.mark.one_server("a server's own maxmemory")
def test_limits_that_addresses_fill_are_shed(limited_redis: redis.Redis) -> None:
    plant(limited_redis, LIMIT, 2_000, family="f", name="n")
    assert memory.enforce_quotas() > 0
    assert memory.enforce_quotas() == 0


def test_a_server_without_a_limit_sheds_nothing(guarded_redis: redis.Redis) -> None:
    plant(guarded_redis, RECENT, 200)
    assert memory.enforce_quotas() == 0
    assert count_keys(guarded_redis, RECENT) == 200
    assert use_of(VIEWS_BUDGET).used > 0


def test_areas_hold_nothing_that_is_missed() -> None:
    """What comes back from SQL only by a rebuild must never be shed."""
    schema.load_all()
    # Tests made further caches of some keys.
    held = [key for budget in eviction.list_budgets() for key in set(budget.keys)]
    assert len(held) > 8
    assert all(key.expendable for key in held)
    assert len(set(held)) == len(held), "a key is in one area"
    assert sum(budget.quota for budget in eviction.list_budgets()) < 0.9


@pytest.mark.django_db
def test_metrics_and_the_admin_tell_how_much_an_area_holds(boss: Client) -> None:

    memory.enforce_quotas()
    gauge = GAUGES.get("savor_redis_area_bytes")
    assert gauge
    assert gauge.read().keys() >= {"views", "caches", "limits"}
    page = boss.get("/admin/redis/").content.decode()
    assert "Memory by area" in page
    assert "the server has no memory limit" in page
