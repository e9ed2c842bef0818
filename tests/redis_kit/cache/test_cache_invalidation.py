import random
import threading

import pytest
import redis

from apps.redis_kit import cache
from tests.races import Race
from tests.redis_kit.cache.cached_things import FRESH, TTL, CountingSource, make_cache, read_all
from tests.redis_kit.keys import OTHER, THING


def test_a_change_is_seen_after_its_invalidation(source: CountingSource) -> None:
    cached = make_cache(source)
    cached.get(1)
    source.rows[1] = {"name": "dumplings"}
    assert cached.invalidate(1)
    assert cached.get(1) == {"name": "dumplings"}


def test_what_was_absent_is_seen_as_soon_as_it_exists(source: CountingSource) -> None:
    cached = make_cache(source)
    assert cached.get(3) is None
    source.rows[3] = {"name": "soup"}
    cached.invalidate(3)
    assert cached.get(3) == {"name": "soup"}


def test_many_changes_are_seen_after_one_invalidation(source: CountingSource) -> None:
    cached = make_cache(source)
    source.rows[2] = {"name": "soup"}
    assert [cached.get(1), cached.get(2)] == [source.rows[1], source.rows[2]]
    source.rows[1] = source.rows[2] = {"name": "dumplings"}
    assert cached.invalidate_many([(1,), (2,), (9,)])
    assert [cached.get(1), cached.get(2)] == [{"name": "dumplings"}] * 2
    assert cached.invalidate_many([])


def test_a_slow_load_cannot_put_an_old_value_back(source: CountingSource) -> None:
    """reader loads v1, writer commits v2 and invalidates, reader stores v1: refused."""
    loaded, written = threading.Event(), threading.Event()

    def load(thing: int) -> object:
        row = source.load(thing)
        loaded.set()
        assert written.wait(60)
        return row

    cached = make_cache(source, load=load)
    reader = threading.Thread(target=cached.get, args=[1])
    reader.start()
    assert loaded.wait(60)
    source.rows[1] = {"name": "dumplings"}
    cached.invalidate(1)
    written.set()
    reader.join()
    assert cached.get(1) == {"name": "dumplings"}
    assert cached.counts()["refused"] == 1


def test_a_slow_load_cannot_push_a_newer_one_out(source: CountingSource) -> None:
    first, newer = threading.Event(), threading.Event()

    def load(thing: int) -> object:
        row = source.load(thing)
        if source.loads[thing] == 1:
            first.set()
            assert newer.wait(60)
        return row

    cached = make_cache(source, load=load)
    reader = threading.Thread(target=cached.get, args=[1])
    reader.start()
    assert first.wait(60)
    source.rows[1] = {"name": "dumplings"}
    cached.invalidate(1)
    assert cached.get(1) == {"name": "dumplings"}
    newer.set()
    reader.join()
    assert cached.get(1) == {"name": "dumplings"}


def test_in_any_order_of_reads_and_writes_the_last_value_wins(source: CountingSource, race: Race) -> None:
    cached, turn = make_cache(source), threading.Lock()
    source.rows[1] = 0

    def act(number: int) -> None:
        for _ in range(40):
            if number == 0:
                with turn:
                    source.rows[1] += 1
                cached.invalidate(1)
            else:
                cached.get(1)
                if random.random() < 0.2:
                    cached.invalidate(1)

    race(6, act)
    assert cached.get(1) == source.rows[1] == 40


def test_one_write_makes_a_whole_group_absent(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source, group="city")
    other = cache.Cache(OTHER, load=lambda *parts: source.rows[1], fresh=FRESH, ttl=TTL, group="city")
    apart = make_cache(source, group="elsewhere")
    cached.get(1), cached.get(2), other.get(1, "en")
    source.rows = {1: "new", 2: "newer"}
    assert cached.invalidate_group()
    assert (cached.get(1), cached.get(2), other.get(1, "en")) == ("new", "newer", "new")
    assert source.loads == {1: 2, 2: 2}
    assert apart is not cached


def test_a_group_s_old_value_is_not_even_served_stale(source: CountingSource) -> None:
    cached = make_cache(source, group="city")
    read_all(cached, 1, 2)
    cached.invalidate_group()
    source.rows = {1: "new", 2: "newer"}
    assert read_all(cached, 1, 2) == {1: "new", 2: "newer"}


def test_a_load_that_began_before_the_group_changed_counts_for_nothing(source: CountingSource) -> None:
    cached: cache.Cache[object]

    def load(thing: int) -> object:
        row = source.load(thing)
        if source.loads[thing] == 1:
            source.rows[1] = "new"
            cached.invalidate_group()
        return row

    cached = make_cache(source, load=load, group="city")
    cached.get(1)
    assert cached.get(1) == "new"


def test_a_lost_generation_serves_nothing_old(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source, group="city")
    cached.invalidate_group()
    cached.get(1)
    guarded_redis.delete("savor:kit:cache:generation:city")
    source.rows[1] = "new"
    assert cached.get(1) == "new"


def test_a_cache_without_a_group_has_none_to_invalidate(source: CountingSource) -> None:
    with pytest.raises(TypeError, match="no group"):
        make_cache(source).invalidate_group()


def test_an_invalidation_leaves_nothing_behind(source: CountingSource, guarded_redis: redis.Redis) -> None:
    cached = make_cache(source)
    cached.get(1)
    cached.invalidate(1)
    assert not guarded_redis.exists(THING(thing=1))


@pytest.mark.usefixtures("redis_away")
def test_an_invalidation_without_redis_says_so_and_breaks_nothing(source: CountingSource) -> None:
    assert make_cache(source).invalidate(1) is False
    assert make_cache(source, group="city").invalidate_group() is False
