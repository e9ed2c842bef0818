import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import cache
from tests.races import Race
from tests.redis_kit.cache.cached_things import CountingSource, make_cache, read_all
from tests.timing import best_seconds


@pytest.mark.usefixtures("redis_away")
def test_without_redis_things_come_from_sql(source: CountingSource) -> None:
    cached = make_cache(source, group="city")
    assert (cached.get(1), cached.get(404)) == ({"name": "noodles"}, None)


@pytest.mark.usefixtures("redis_away")
def test_only_so_many_load_from_sql_at_once(source: CountingSource, settings: Settings, race: Race) -> None:
    settings.CACHE_LOADS = 3
    # Without `together` one load could end before the next thread runs.
    source.crowd, source.together = 30, 3
    read = source.reader(make_cache(source).get)
    assert race(30, lambda _: read(1)) == [{"name": "noodles"}] * 30
    assert source.most_inside == 3


@pytest.mark.usefixtures("redis_away")
def test_who_finds_no_place_in_time_is_told_to_come_back(
    source: CountingSource, settings: Settings, race: Race
) -> None:
    settings.CACHE_LOADS, settings.CACHE_LOAD_WAIT = 1, 0.05
    cached, busy = make_cache(source), list[cache.Busy]()
    source.gate.clear()

    def ask(_: int) -> object:
        try:
            return cached.get(1)
        except cache.Busy as told:
            busy.append(told)
            if len(busy) == 4:
                source.gate.set()
            raise

    assert race(5, ask).count({"name": "noodles"}) == 1
    assert [told.retry_after for told in busy] == [1] * 4


def test_a_flushed_cache_under_load_never_passes_the_limit(
    source: CountingSource, settings: Settings, race: Race, guarded_redis: redis.Redis
) -> None:
    settings.CACHE_LOADS = 4
    source.rows = {number: number for number in range(60)}
    read = source.reader(make_cache(source).get)
    for turn in range(1, 3):
        source.crowd = 60 * turn
        guarded_redis.flushall()
        assert race(60, read) == list(range(60))
    assert source.most_inside <= 4


def test_a_load_that_reads_another_cache_needs_no_second_place(
    source: CountingSource, settings: Settings
) -> None:
    settings.CACHE_LOADS, settings.CACHE_LOAD_WAIT = 1, 0.05
    inner = make_cache(source)
    outer = make_cache(source, load=lambda thing: inner.get(thing - 1))
    assert outer.get(2) == {"name": "noodles"}


@pytest.mark.usefixtures("frozen_redis")
def test_a_page_full_of_caches_waits_for_a_frozen_redis_once(source: CountingSource) -> None:
    cached = make_cache(source)

    def show() -> None:
        cache.reset()
        assert [cached.get(1) for _ in range(10)] == [{"name": "noodles"}] * 10

    assert best_seconds(show, below=1) < 1


def test_a_full_redis_still_serves(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source)
    cached.get(1)
    guarded_redis.config_set("maxmemory", 1)
    try:
        assert (cached.get(1), cached.get(2)) == ({"name": "noodles"}, {"name": "tea"})
    finally:
        guarded_redis.config_set("maxmemory", 0)
    assert source.loads == {1: 1, 2: 1}


@pytest.mark.one_server("it counts the keys that expire")
def test_made_up_ids_cost_one_load_each_and_expire(
    source: CountingSource, guarded_redis: redis.Redis
) -> None:
    cached = make_cache(source)
    for _ in range(2):
        read_all(cached, *range(1000, 1100))
    assert source.loads.total() == 100
    assert guarded_redis.info("keyspace")["db0"]["expires"] == 100
