"""A scheduled job runs in one process at a time; the others skip it."""

import threading

import pytest
import redis

from apps.redis_kit import client, keys, locks
from tests.races import race

LOCK = keys.PLAIN_LOCK(name="job:report")


def test_the_result_of_the_job_comes_back(guarded_redis: redis.Redis) -> None:
    assert locks.run_exclusively("report", lambda: 7, lease=10) == 7
    assert not guarded_redis.exists(LOCK)


def test_of_many_at_once_one_runs(guarded_redis: redis.Redis) -> None:
    begun, others_are_done = threading.Event(), threading.Event()

    def job() -> str:
        begun.set()
        assert others_are_done.wait(60)
        return "done"

    worker = threading.Thread(target=lambda: locks.run_exclusively("report", job, lease=60))
    worker.start()
    assert begun.wait(60)
    assert race(10, lambda _: locks.run_exclusively("report", job, lease=60)) == [None] * 10
    others_are_done.set()
    worker.join()
    assert locks.run_exclusively("report", lambda: "again", lease=60) == "again"


def test_jobs_of_other_names_run_meanwhile(guarded_redis: redis.Redis) -> None:
    other = lambda: locks.run_exclusively("other", lambda: 7, lease=10)  # noqa: E731
    assert locks.run_exclusively("report", other, lease=10) == 7


def test_the_lock_ends_with_its_lease(guarded_redis: redis.Redis) -> None:
    left = locks.run_exclusively("report", lambda: guarded_redis.pttl(LOCK), lease=60)
    assert left is not None
    assert 50_000 < int(str(left)) <= 60_000


def test_a_job_that_fails_frees_the_lock_and_raises(guarded_redis: redis.Redis) -> None:
    with pytest.raises(ZeroDivisionError):
        locks.run_exclusively("report", lambda: 1 / 0, lease=10)
    assert not guarded_redis.exists(LOCK)


def test_a_lock_that_the_job_itself_did_not_get_is_its_own_error(guarded_redis: redis.Redis) -> None:
    def job() -> None:
        raise locks.NotAcquired("taken", lock_name="another")

    with pytest.raises(locks.NotAcquired, match="taken"):
        locks.run_exclusively("report", job, lease=10)


def test_a_job_that_outlives_its_lease_is_reported_and_keeps_its_result(
    guarded_redis: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    assert locks.run_exclusively("report", lambda: guarded_redis.delete(LOCK), lease=10) == 1
    assert "outlived its lease" in caplog.text


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_job_does_not_run() -> None:
    with pytest.raises(client.UNAVAILABLE):
        locks.run_exclusively("report", lambda: pytest.fail("it ran"), lease=10)
