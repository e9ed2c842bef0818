"""The memory report counts what was planted, says when it guesses, and leaves nothing behind."""

import pytest
import redis

from apps.monitoring import keys, memory
from apps.redis_kit import schema


def plant(connected: redis.Redis, count: int) -> None:
    pipe = connected.pipeline(transaction=False)
    for number in range(count):
        pipe.set(keys.REBUILDING(name=f"planted-{number}"), "x" * 100, ex=60)
    pipe.execute()


def usage_of(report: memory.Report, key: schema.Key) -> memory.Usage:
    return next(row for row in report.rows if row.key == key)


def test_counts_and_bytes_match_what_was_planted(guarded_redis: redis.Redis) -> None:
    plant(guarded_redis, 15)
    weight = guarded_redis.memory_usage(keys.REBUILDING(name="planted-0"))
    report = memory.newest_report(fresh=True)
    row = usage_of(report, keys.REBUILDING)
    assert (row.keys, report.seen, report.total, report.exact) == (15, 15, 15, True)
    assert weight is not None
    assert abs(row.bytes - 15 * weight) <= 15 * 8


def test_every_declared_pattern_has_a_row_even_without_keys() -> None:
    report = memory.newest_report(fresh=True)
    assert {row.pattern for row in report.rows} == {key.pattern for key in schema.declared()}


def test_a_full_walk_of_many_keys_says_that_bytes_are_an_estimate(guarded_redis: redis.Redis) -> None:
    plant(guarded_redis, 500)
    report = memory.newest_report(fresh=True)
    assert usage_of(report, keys.REBUILDING).keys == 500
    assert not report.exact


def test_a_walk_that_ends_early_scales_to_all_keys(
    guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(guarded_redis, 4000)
    monkeypatch.setattr(memory, "MAX_SCANNED_KEYS", 1000)
    monkeypatch.setattr(memory, "MAX_SCAN_SECONDS", 60.0)
    report = memory.newest_report(fresh=True)
    assert (report.seen, report.exact) == (1000, False)
    assert usage_of(report, keys.REBUILDING).keys == 4000


def test_a_pattern_without_fields_is_never_scaled(
    guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [key for key in schema.declared() if (key.fields, key.type, key.expiry) == ((), "hash", "none")]
    assert len(alone) > 5
    for key in alone:
        guarded_redis.hset(key(), "field", "value")
    plant(guarded_redis, 3000)
    # Two thirds of all keys are seen, in whatever time: one of a family counts for one and a half.
    monkeypatch.setattr(memory, "MAX_SCANNED_KEYS", 2000)
    monkeypatch.setattr(memory, "MAX_SCAN_SECONDS", 60.0)
    report = memory.newest_report(fresh=True)
    assert 0 < sum(usage_of(report, key).keys for key in alone) <= len(alone)
    assert max(usage_of(report, key).keys for key in alone) == 1


def test_a_report_is_kept_for_a_while(guarded_redis: redis.Redis) -> None:
    first = memory.newest_report(fresh=True)
    plant(guarded_redis, 3)
    assert memory.newest_report() is first
    assert memory.newest_report(fresh=True) is not first
