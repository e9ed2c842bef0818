"""While a server doesn't answer, calls of its process fail at once; when it does, they go through."""

import asyncio
import os
import signal

import pytest
import redis

from apps.demo import embedded_redis
from apps.redis_kit import breaker, client
from apps.redis_kit.breaker import PROBE_SECONDS, Breaker
from tests.redis_kit.locks.lock_waiters import retry_until_available

pytestmark = pytest.mark.one_server("its breaker")


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(clock: Clock) -> Breaker:
    """A breaker whose server has just not answered a call of half a second."""
    made = Breaker("test", clock)
    clock.now += 0.5
    made.note_timeout(began=100.0)
    return made


def is_refused(guard: Breaker) -> bool:
    try:
        guard.check()
    except redis.ConnectionError:
        return True
    return False


def test_one_call_asks_while_the_others_fail_at_once(opened: Breaker, clock: Clock) -> None:
    assert [is_refused(opened) for _ in range(3)] == [False, True, True]
    began = clock.now
    clock.now += 0.5
    opened.note_timeout(began)
    assert is_refused(opened)
    clock.now += PROBE_SECONDS
    assert [is_refused(opened) for _ in range(3)] == [False, True, True]


def test_an_answer_lets_all_through(opened: Breaker) -> None:
    opened.check()
    opened.note_answer()
    assert not any(is_refused(opened) for _ in range(3))


def test_a_call_that_alone_is_late_opens_nothing(clock: Clock) -> None:
    guard = Breaker("test", clock)
    clock.now += 0.3
    guard.note_answer()
    clock.now += 0.2
    guard.note_timeout(began=100.0)
    assert not any(is_refused(guard) for _ in range(3))


def test_a_probe_whose_caller_died_is_followed_by_another(opened: Breaker, clock: Clock) -> None:
    opened.check()
    clock.now += breaker.MAX_PROBE_SECONDS
    assert not is_refused(opened)
    opened.note_error()
    assert is_refused(opened)
    clock.now += PROBE_SECONDS
    assert not is_refused(opened)


def test_of_many_calls_few_wait_for_a_frozen_server(
    frozen_redis: redis.Redis, redis_server: embedded_redis.Server
) -> None:
    refused = 0
    for _ in range(200):
        with pytest.raises(client.UNAVAILABLE) as refusal:
            frozen_redis.get("anything")
        refused += isinstance(refusal.value, redis.ConnectionError)
    # A wait is half a second; the two hundred take no more of it than they would of a machine that stalls.
    assert refused >= 150
    os.kill(redis_server.pid, signal.SIGCONT)
    assert retry_until_available(frozen_redis.ping)
    assert all(frozen_redis.ping() for _ in range(3))


async def test_an_event_loop_waits_no_longer(
    frozen_redis: redis.Redis, redis_server: embedded_redis.Server
) -> None:
    transport = client.async_transport()
    refused = 0
    for _ in range(200):
        with pytest.raises(client.UNAVAILABLE) as refusal:
            await transport.execute_many([("PING",)])
        refused += isinstance(refusal.value, redis.ConnectionError)
    assert refused >= 150
    os.kill(redis_server.pid, signal.SIGCONT)
    async with asyncio.timeout(20):
        while True:
            try:
                assert await transport.execute_many([("PING",)]) == ["PONG"]
                break
            except client.UNAVAILABLE:
                await asyncio.sleep(0.05)
    await client.aclose_all()
