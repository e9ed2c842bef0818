import json
import pickle
from datetime import timedelta

import pytest
import redis

from apps.redis_kit import cache
from tests.redis_kit import keys
from tests.redis_kit.cache.cached_things import (
    FRESH,
    MISS,
    TTL,
    CountingSource,
    make_cache,
    make_stale,
    read_all,
)
from tests.redis_kit.keys import OTHER, THING


def test_a_thing_is_loaded_once(source: CountingSource) -> None:
    found = [make_cache(source).get(1) for _ in range(3)]
    assert found == [{"name": "noodles"}] * 3
    assert source.loads[1] == 1


def test_what_is_not_there_is_loaded_once_too(source: CountingSource) -> None:
    assert [make_cache(source).get(404) for _ in range(3)] == [None] * 3
    assert source.loads[404] == 1


def test_a_value_and_a_miss_expire_within_their_spread(
    source: CountingSource, guarded_redis: redis.Redis
) -> None:
    cached = make_cache(source)
    cached.get(1), cached.get(404)
    lives = guarded_redis.pttl(THING(thing=1)) / 1000
    missing = guarded_redis.pttl(THING(thing=404)) / 1000
    assert TTL.total_seconds() * 0.79 < lives <= TTL.total_seconds()
    assert MISS.total_seconds() * 0.79 < missing <= MISS.total_seconds()


def test_what_is_filled_together_does_not_expire_together(
    source: CountingSource, guarded_redis: redis.Redis
) -> None:
    source.rows = {number: number for number in range(500)}
    read_all(make_cache(source, ttl=timedelta(seconds=1000)), *range(500))
    seconds = [guarded_redis.ttl(THING(thing=number)) // 10 for number in range(500)]
    mean = 500 / 20
    assert max(seconds.count(second) for second in set(seconds)) <= 3 * mean


def test_a_lease_alone_expires_with_the_lease(source: CountingSource, guarded_redis: redis.Redis) -> None:
    ttls = []

    def load(thing: int) -> None:
        ttls.append(guarded_redis.pttl(THING(thing=thing)))

    make_cache(source, load=load, lease=timedelta(seconds=7)).get(1)
    assert 6_500 < ttls[0] <= 7_000


def test_freshness_is_judged_by_the_server_s_clock(
    source: CountingSource, guarded_redis: redis.Redis
) -> None:
    make_cache(source).get(1)
    second, microsecond = guarded_redis.time()
    until = int(guarded_redis.hget(THING(thing=1), "fresh_until") or 0) / 1000
    assert 0.79 * FRESH.total_seconds() < until - second <= FRESH.total_seconds() + 1


@pytest.mark.parametrize(
    "junk", ["{", "", "[" * 100_000, "NaN?", pickle.dumps({"name": "noodles"}), b"\xff\xfe", "undefined"]
)
def test_a_value_that_cannot_be_read_is_loaded_again(
    junk: str | bytes, source: CountingSource, guarded_redis: redis.Redis
) -> None:
    cached = make_cache(source)
    cached.get(1)
    guarded_redis.hset(THING(thing=1), "value", junk)
    assert cached.get(1) == ({"name": "noodles"} if junk else None)
    assert source.loads[1] == (2 if junk else 1)


@pytest.mark.parametrize("old", [json.dumps({"name": "noodles"}), pickle.dumps(1), "1"])
def test_another_type_of_key_is_an_old_format(
    old: str | bytes, source: CountingSource, guarded_redis: redis.Redis
) -> None:
    guarded_redis.set(THING(thing=1), old)
    assert [make_cache(source).get(1) for _ in range(2)] == [{"name": "noodles"}] * 2
    assert source.loads[1] == 1


def test_a_new_shape_makes_the_old_one_absent(source: CountingSource) -> None:
    make_cache(source, shape=1).get(1)
    source.rows[1] = {"title": "noodles"}
    assert make_cache(source, shape=2).get(1) == {"title": "noodles"}


def test_who_loads_and_who_reads_get_the_same(source: CountingSource) -> None:
    source.rows[1] = ("noodles", {7: 1.5})
    assert [make_cache(source).get(1) for _ in range(2)] == [["noodles", {"7": 1.5}]] * 2


def test_what_json_cannot_hold_is_a_mistake_at_once(source: CountingSource) -> None:
    source.rows[1] = {"price": float("nan")}
    with pytest.raises(ValueError, match="JSON"):
        make_cache(source).get(1)
    source.rows[1] = object()
    with pytest.raises(TypeError):
        make_cache(source).get(1)


def test_a_part_that_cannot_be_in_a_key_is_refused(source: CountingSource) -> None:
    with pytest.raises(ValueError, match="part of a key"):
        make_cache(source).get("a b")
    assert not source.loads


def test_a_key_of_two_parts_takes_both(source: CountingSource) -> None:
    cached = cache.Cache(OTHER, load=lambda *parts: list(parts), fresh=FRESH, ttl=TTL)
    assert cached.get(7, "zh") == [7, "zh"]


def test_a_cache_needs_a_hash_to_live_in() -> None:
    with pytest.raises(ValueError, match="is a hash"):
        cache.Cache(keys.COUNTER, load=lambda name: name, fresh=FRESH, ttl=TTL)


@pytest.mark.one_server("trips to it are counted")
def test_a_thing_that_is_there_takes_one_round_trip(
    source: CountingSource, round_trips: list[object]
) -> None:
    cached = make_cache(source, group="things")
    cached.get(1)
    round_trips.clear()
    cached.get(1)
    assert len(round_trips) == 1


def test_an_unreadable_thing_is_loaded_again(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source)
    read_all(cached, 1, 2)
    guarded_redis.hset(THING(thing=2), "value", "{")
    assert read_all(cached, 1, 2) == source.rows
    assert source.loads == {1: 1, 2: 2}


def test_what_happened_is_counted(source: CountingSource) -> None:
    cached = make_cache(source, group="things")
    cached.get(1), cached.get(1), cached.get(404), cached.get(404)
    make_stale(1)
    cached.get(1)
    cache.load_limiter().finish()
    assert cached.counts() == {"hit": 2, "miss": 2, "stale": 1, "rebuild": 3, "refused": 0}


@pytest.mark.one_server("its commands are counted")
def test_counting_costs_no_round_trip(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source)
    cached.get(1)
    before = guarded_redis.info("stats")["total_reads_processed"]
    for _ in range(50):
        cached.get(1)
    assert guarded_redis.info("stats")["total_reads_processed"] - before <= 51
