"""A second of a process in Redis: counters, statistics, sums; what is away or broken; what is cleaned."""

import statistics
from datetime import timedelta

import pytest
import redis
from pytest_django.fixtures import Settings

from apps.metrics import counters, gathering, keys, log_lines, samples, sending, timings
from apps.metrics.gathering import Gathered, Sample
from apps.redis_kit import client
from tests.races import Race


def gather_a_second() -> None:
    gathering.count("orders.paid", 3)
    gathering.record("shops:detail", 0.010, 200)
    gathering.record("shops:detail", 0.030, 404)
    gathering.record("verb/search", 0.002)


@pytest.mark.usefixtures("gathers")
def test_one_call_adds_to_every_precision(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    samples.add(client.get(keys.CONNECTION), Gathered([], {"warm": 1}))
    gather_a_second()
    del round_trips[:]
    assert sending.send_once()
    assert len(round_trips) == 1
    assert counters.names(guarded_redis) == ["hits", "orders.paid", "warm"]
    for precision in keys.PRECISIONS:
        hits, paid = counters.read(guarded_redis, ["hits", "orders.paid"], precision=precision, samples=2)
        assert (hits.total, paid.total) == (2, 3)
        # The test may run into the next second or minute.
        assert paid.starts[1] - paid.starts[0] == precision
        assert paid.until % precision == 0


@pytest.mark.usefixtures("gathers")
def test_statistics_are_by_route_and_verb(guarded_redis: redis.Redis) -> None:
    for _ in range(2):
        gather_a_second()
        assert sending.send_once()
    found = {timing.context: timing for timing in timings.read_all(guarded_redis)}
    assert set(found) == {"view/shops:detail", "verb/search"}
    detail = found["view/shops:detail"].durations
    assert (detail.count, detail.smallest, detail.largest) == (4, 10_000, 30_000)
    assert detail.mean == pytest.approx(0.020)
    assert detail.deviation == pytest.approx(0.01155, rel=0.001)
    assert (found["verb/search"].kind, found["verb/search"].name) == ("verb", "search")


@pytest.mark.usefixtures("gathers")
def test_sums_are_by_route_and_status(guarded_redis: redis.Redis) -> None:
    gather_a_second()
    assert sending.send_once()
    sums = guarded_redis.hgetall(keys.TOTALS())
    assert sums["requests|view/shops:detail|2xx"] == sums["requests|view/shops:detail|4xx"] == "1"
    assert sums["microseconds|view/shops:detail"] == "40000"
    assert sums["events|orders.paid"] == "3"


def test_processes_add_up(guarded_redis: redis.Redis, race: Race) -> None:
    second = Gathered([Sample("home", 0.004, 200)] * 5, {"logins": 2})
    race(20, lambda number: samples.add(guarded_redis, second))
    (timing,) = timings.read_all(guarded_redis)
    assert timing.durations.count == 100
    assert counters.read(guarded_redis, ["logins"], precision=86_400, samples=2)[0].total == 40


def test_an_hour_becomes_the_last_and_the_one_before_is_forgotten(guarded_redis: redis.Redis) -> None:
    this, last = keys.timing_keys("verb/search")
    samples.add(guarded_redis, Gathered([Sample("verb/search", 0.5)], {}))
    guarded_redis.hincrby(this, "hour", -1)
    samples.add(guarded_redis, Gathered([Sample("verb/search", 0.1)], {}))
    assert guarded_redis.hget(this, "nanoseconds") == "100000000"
    assert guarded_redis.hget(last, "nanoseconds") == "500000000"
    assert timings.read_all(guarded_redis)[0].durations.count == 2
    guarded_redis.hincrby(this, "hour", -2)
    samples.add(guarded_redis, Gathered([Sample("verb/search", 0.2)], {}))
    assert guarded_redis.exists(last) == 0
    assert timings.read_all(guarded_redis)[0].durations.largest == 200_000


@pytest.mark.parametrize(
    "durations", [[0.0001445167, 0.0001539637], [60.000001, 60.000003], [0.5] * 3, [10.0, 10.001, 9.999]]
)
def test_the_deviation_of_few_close_durations_is_theirs(
    guarded_redis: redis.Redis, durations: list[float]
) -> None:
    for duration in durations:
        samples.add(guarded_redis, Gathered([Sample("verb/search", duration)], {}))
    (timing,) = timings.read_all(guarded_redis)
    assert timing.durations.deviation == pytest.approx(statistics.stdev(durations), rel=1e-3)


def test_old_hours_are_not_read_though_nobody_rotated_them(guarded_redis: redis.Redis) -> None:
    samples.add(guarded_redis, Gathered([Sample("verb/search", 0.5)], {}))
    guarded_redis.hincrby(keys.timing_keys("verb/search")[0], "hour", -2)
    assert timings.read_all(guarded_redis) == []


def test_what_is_added_expires(guarded_redis: redis.Redis) -> None:
    samples.add(guarded_redis, Gathered([Sample("verb/search", 0.5)], {"logins": 1}))
    for precision, key in zip(keys.PRECISIONS, keys.counter_keys("logins"), strict=True):
        assert 120 * precision <= guarded_redis.ttl(key) <= 121 * precision
    assert 0 < guarded_redis.ttl(keys.timing_keys("verb/search")[0]) <= 10_800
    assert 0 < guarded_redis.ttl(keys.TIMINGS()) <= 10_800


def test_a_key_of_another_type_changes_nothing(guarded_redis: redis.Redis) -> None:
    guarded_redis.sadd(keys.counter_keys("logins")[3], "x")
    second = Gathered([Sample("verb/search", 0.5)], {"logins": 1, "searches": 1})
    assert samples.add(guarded_redis, second) is samples.Addition.BROKEN
    guarded_redis.delete(keys.counter_keys("logins")[3])
    assert list(guarded_redis.scan_iter("*")) == []


def test_contexts_are_bounded(guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_contexts", set())
    many = [Sample(f"route{number}", 0.001, 200) for number in range(samples.MAX_CONTEXTS + 20)]
    samples.add(guarded_redis, Gathered(many, {}))
    found = {timing.context: timing.durations.count for timing in timings.read_all(guarded_redis)}
    assert len(found) == samples.MAX_CONTEXTS + 1
    assert found[samples.OTHERS] == 20


def test_the_slowest_are_by_mean_or_by_the_hundredth(guarded_redis: redis.Redis) -> None:
    steady = [Sample("verb/steady", 0.050)] * 200
    spiky = [Sample("verb/spiky", 0.001)] * 195 + [Sample("verb/spiky", 0.9)] * 5
    samples.add(guarded_redis, Gathered(steady + spiky, {}))
    found = timings.read_all(guarded_redis)
    assert [timing.name for timing in timings.slowest(found)] == ["steady", "spiky"]
    assert [timing.name for timing in timings.slowest(found, timings.by_p99)] == ["spiky", "steady"]


def test_two_days_ahead_every_counter_is_cleaned_its_name_too(guarded_redis: redis.Redis) -> None:
    for _ in range(5):
        samples.add(guarded_redis, Gathered([Sample("home", 0.001, 200)], {"logins": 1, "searches": 4}))
    assert counters.clean() == 0
    assert len(counters.names(guarded_redis)) == 3
    assert counters.clean(samples_kept=0, ahead=timedelta(days=2)) >= 21
    assert counters.names(guarded_redis) == []
    assert list(guarded_redis.scan_iter("*counter*")) == []


def test_the_cleaner_keeps_120_samples(guarded_redis: redis.Redis) -> None:
    samples.add(guarded_redis, Gathered([], {"logins": 1}))
    second = keys.counter_keys("logins")[0]
    now = int(guarded_redis.time()[0])
    guarded_redis.hset(second, mapping={str(now - back): 1 for back in range(1, 300)})
    counters.clean()
    # The clock may have gone on meanwhile.
    assert 110 <= guarded_redis.hlen(second) <= 121
    assert counters.names(guarded_redis) == ["logins"]


@pytest.mark.usefixtures("gathers", "redis_away")
def test_without_redis_a_second_is_dropped_and_counted() -> None:
    gather_a_second()
    assert not sending.send_once()
    assert gathering.take().counts == {gathering.LOST: 6}


@pytest.mark.usefixtures("gathers")
def test_a_full_redis_refuses_and_harms_nothing(guarded_redis: redis.Redis) -> None:
    gather_a_second()
    guarded_redis.config_set("maxmemory", 1)
    try:
        assert not sending.send_once()
    finally:
        guarded_redis.config_set("maxmemory", 0)
    assert gathering.take().counts == {gathering.LOST: 6}
    assert list(guarded_redis.scan_iter("*")) == []


def test_a_view_and_hour_takes_less_than_a_kilobyte(guarded_redis: redis.Redis) -> None:
    """Durations as a page has them: most within a factor of ten, a tail up to a hundred times the median."""
    spread = [0.004 * 1.06 ** (number % 80 - 20) for number in range(2_000)]
    samples.add(guarded_redis, Gathered([Sample("shops:detail", each, 200) for each in spread], {}))
    key = keys.timing_keys("view/shops:detail")[0]
    assert guarded_redis.hlen(key) > 40
    assert (guarded_redis.memory_usage(key, samples=0) or 0) in range(1, 1_024)


@pytest.mark.usefixtures("guarded_redis")
def test_the_thread_sends_its_last_second_when_it_stops(
    guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.METRICS = True
    sending.start("tests")
    try:
        gathering.count("logins")
    finally:
        sending.stop()
    assert counters.names(guarded_redis) == ["logins"]
    assert gathering.take().size == 0
    (line,) = log_lines.newest(guarded_redis, log_lines.sources(guarded_redis))
    assert line.text == "a tests process has started"


def test_nothing_starts_where_the_setting_is_off(settings: Settings) -> None:
    settings.METRICS = False
    sending.start("tests")
    gathering.count("logins")
    assert gathering.take().size == 0
