"""Charges for limits: counted, refused with the time to wait, and nobody refused without Redis."""

from datetime import timedelta

import pytest
from redis import Redis

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits
from apps.web.problems import Problem

MINUTE = Limit(name="minute", family="web-test", allowed=2, period=timedelta(minutes=1))
DAY = Limit(name="day", family="web-test", allowed=3, period=timedelta(days=1))


def charge(person: int) -> None:
    rate_limits.charge([(MINUTE, person), (DAY, person)], "Wait a moment.")


def test_an_attempt_past_a_limit_is_refused_with_the_time_to_wait(guarded_redis: Redis) -> None:
    charge(1)
    charge(1)
    charge(2)
    with pytest.raises(Problem) as refused:
        charge(1)
    problem = refused.value
    assert (problem.status, problem.code, problem.detail) == (429, "too_many_requests", "Wait a moment.")
    assert problem.retry_after
    assert 0 < problem.retry_after <= 60


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nobody_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    for _attempt in range(MINUTE.allowed + 1):
        charge(1)
    assert "an attempt is not counted for web-test:minute" in caplog.text
