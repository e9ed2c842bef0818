from datetime import timedelta

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.crc import key_slot

from apps.redis_kit import client, limiter
from tests.races import Race

BY_PHONE = limiter.Limit(name="phone", family="code", allowed=3, period=timedelta(minutes=1))
BY_IP = limiter.Limit(name="ip", family="code", allowed=5, period=timedelta(hours=1))
#: More than the script writes anew at each hit.
MANY = limiter.Limit(name="many", family="code", allowed=12, period=timedelta(minutes=1))
ALICE, BOB = "+8613800000001", "+8613800000002"


def shift_hits(limit: limiter.Limit, subject: str, seconds: float) -> None:
    """Make every stored hit that much older."""
    connected, key = client.get(), limiter.build_key(limit, subject)
    older = [hit - int(seconds * 1_000_000) for hit in stored_hits(limit, subject)]
    connected.set(key, "".join(map(str, older)), keepttl=True, xx=True)


def stored_hits(limit: limiter.Limit, subject: str) -> list[int]:
    """Microseconds of the stored hits."""
    kept = str(client.get().get(limiter.build_key(limit, subject)) or "")
    return [int(kept[start : start + 16]) for start in range(0, len(kept), 16)]


def test_a_window_allows_so_many_and_refuses_the_next() -> None:
    answers = [limiter.hit([(BY_PHONE, ALICE)]).allowed for _ in range(5)]
    assert answers == [True, True, True, False, False]


def test_a_refusal_names_the_limit_and_the_wait() -> None:
    for _ in range(3):
        limiter.hit([(BY_PHONE, ALICE)])
    shift_hits(BY_PHONE, ALICE, 20)
    assert limiter.hit([(BY_PHONE, ALICE)]) == limiter.Verdict(allowed=False, retry_after=40, name="phone")


def test_the_wait_is_at_least_a_second() -> None:
    for _ in range(3):
        limiter.hit([(BY_PHONE, ALICE)])
    shift_hits(BY_PHONE, ALICE, 59.99)
    verdict = limiter.hit([(BY_PHONE, ALICE)])
    assert verdict.allowed or verdict.retry_after == 1


def test_hits_leave_the_window_one_by_one() -> None:
    limiter.hit([(BY_PHONE, ALICE)])
    shift_hits(BY_PHONE, ALICE, 61)
    limiter.hit([(BY_PHONE, ALICE)], cost=2)
    answers = [limiter.hit([(BY_PHONE, ALICE)]).allowed for _ in range(2)]
    assert answers == [True, False]


def test_people_have_windows_of_their_own() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=3)
    assert limiter.hit([(BY_PHONE, BOB)]).allowed


def test_when_one_limit_refuses_none_is_charged() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=3)
    for _ in range(10):
        assert limiter.hit([(BY_PHONE, ALICE), (BY_IP, "10.0.0.1")]).name == "phone"
    assert limiter.hit([(BY_IP, "10.0.0.1")], cost=5).allowed


def test_the_longest_wait_is_told_when_several_refuse() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=3)
    limiter.hit([(BY_IP, "10.0.0.1")], cost=5)
    verdict = limiter.hit([(BY_PHONE, ALICE), (BY_IP, "10.0.0.1")])
    assert (verdict.name, verdict.retry_after) == ("ip", 3600)


def test_refused_attempts_do_not_prolong_the_wait() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=3)
    shift_hits(BY_PHONE, ALICE, 50)
    waits = [limiter.hit([(BY_PHONE, ALICE)]).retry_after for _ in range(5)]
    assert waits == [10] * 5


def test_a_look_does_not_charge() -> None:
    for _ in range(9):
        assert limiter.peek([(BY_PHONE, ALICE)], cost=3).allowed
    limiter.hit([(BY_PHONE, ALICE)])
    assert not limiter.peek([(BY_PHONE, ALICE)], cost=3).allowed


def test_a_reset_gives_the_window_back() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=3)
    limiter.reset(BY_PHONE, ALICE)
    assert limiter.hit([(BY_PHONE, ALICE)], cost=3).allowed


def test_of_a_hundred_at_once_exactly_so_many_are_allowed(race: Race) -> None:
    answers = race(100, lambda _: limiter.hit([(BY_IP, "10.0.0.1")]).allowed)
    assert (answers.count(True), answers.count(False)) == (5, 95)


def test_the_key_expires_one_period_after_the_last_hit(guarded_redis: redis.Redis) -> None:
    limiter.hit([(BY_PHONE, ALICE), (BY_IP, ALICE)])
    assert 59_000 < guarded_redis.pttl(limiter.build_key(BY_PHONE, ALICE)) <= 60_000
    assert 3_599_000 < guarded_redis.pttl(limiter.build_key(BY_IP, ALICE)) <= 3_600_000


def test_a_key_never_holds_more_hits_than_are_allowed() -> None:
    for _ in range(20):
        limiter.hit([(BY_PHONE, ALICE)])
        shift_hits(BY_PHONE, ALICE, 25)
        assert len(stored_hits(BY_PHONE, ALICE)) <= 3


@settings(
    max_examples=40, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.sampled_from([1, 2, 3, 4, 17, 40, 61]), max_size=25))
def test_any_run_of_hits_is_what_a_list_of_them_says(guarded_redis: redis.Redis, steps: list[int]) -> None:
    """Up to 4 a step is a hit of that cost, else so many seconds pass; they never add up to the minute."""
    guarded_redis.flushdb()
    ages: list[int] = []
    for step in steps:
        if step > 4:
            ages = [one + step for one in ages]
            shift_hits(MANY, ALICE, step)
            continue
        is_allowed = len([one for one in ages if one < 60]) + step <= MANY.allowed
        assert limiter.hit([(MANY, ALICE)], cost=step).allowed == is_allowed
        if is_allowed:
            ages += [0] * step
            assert 59_000 < guarded_redis.pttl(limiter.build_key(MANY, ALICE)) <= 60_000
        assert len(stored_hits(MANY, ALICE)) <= MANY.allowed


def test_no_phone_or_odd_character_reaches_a_key(guarded_redis: redis.Redis) -> None:
    for subject in (ALICE, "{a} \x00", "x" * 100_000, "\ud800", "fe80::1%eth0", 7):
        assert limiter.hit([(BY_PHONE, subject)]).allowed
    keys = [str(key) for key in guarded_redis.scan_iter()]
    assert len(keys) == 6
    assert not [key for key in keys if ALICE in key or len(key) > 80]


def test_limits_asked_together_share_a_slot() -> None:
    slots = {key_slot(limiter.build_key(limit, ALICE).encode()) for limit in (BY_PHONE, BY_IP)}
    assert len(slots) == 1


def test_limits_of_two_families_cannot_be_asked_together() -> None:
    other = limiter.Limit(name="posts", allowed=1, period=timedelta(days=1))
    with pytest.raises(ValueError, match="one family"):
        limiter.hit([(BY_PHONE, ALICE), (other, ALICE)])


@pytest.mark.parametrize("cost", [0, -1, 4])
def test_a_cost_that_can_never_be_allowed_is_a_mistake(cost: int) -> None:
    with pytest.raises(ValueError, match="never"):
        limiter.hit([(BY_PHONE, ALICE)], cost=cost)


@pytest.mark.parametrize(
    ("allowed", "period"), [(0, timedelta(hours=1)), (1, timedelta()), (1, -timedelta(1))]
)
def test_a_limit_needs_positive_numbers(allowed: int, period: timedelta) -> None:
    with pytest.raises(ValueError, match="positive"):
        limiter.Limit(name="odd", allowed=allowed, period=period)


def test_junk_under_the_key_charges_nothing(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(limiter.build_key(BY_IP, "10.0.0.1"), "junk")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        limiter.hit([(BY_PHONE, ALICE), (BY_IP, "10.0.0.1")])
    guarded_redis.delete(limiter.build_key(BY_IP, "10.0.0.1"))
    assert limiter.hit([(BY_PHONE, ALICE)], cost=3).allowed


async def test_junk_under_the_key_of_one_charges_nobody_in_the_batch(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(limiter.build_key(BY_PHONE, BOB), "junk")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        await limiter.ahit(client.async_transport(), BY_PHONE, [ALICE, BOB])
    await client.aclose_all()
    guarded_redis.delete(limiter.build_key(BY_PHONE, BOB))
    assert not stored_hits(BY_PHONE, ALICE)


def test_a_key_of_another_type_is_an_empty_window(guarded_redis: redis.Redis) -> None:
    key = limiter.build_key(BY_PHONE, ALICE)
    guarded_redis.rpush(key, *[1_700_000_000_000_000] * 3)
    assert limiter.peek([(BY_PHONE, ALICE)]).allowed
    assert guarded_redis.type(key) == "list"
    assert limiter.hit([(BY_PHONE, ALICE)]).allowed
    assert len(stored_hits(BY_PHONE, ALICE)) == 1
    assert 59_000 < guarded_redis.pttl(key) <= 60_000


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_caller_decides() -> None:
    with pytest.raises(client.UNAVAILABLE):
        limiter.hit([(BY_PHONE, ALICE)])


async def test_a_batch_decides_each_attempt_by_itself() -> None:
    for _ in range(2):
        limiter.hit([(BY_PHONE, ALICE)])
    answers = await limiter.ahit(client.async_transport(), BY_PHONE, [ALICE, BOB, ALICE, BOB])
    await client.aclose_all()
    assert [answer.allowed for answer in answers] == [True, True, False, True]
    assert answers[2].name == "phone"
    assert [limiter.hit([(BY_PHONE, BOB)]).allowed for _ in range(2)] == [True, False]


def test_hits_that_left_the_window_make_room_in_a_full_one() -> None:
    limiter.hit([(BY_PHONE, ALICE)], cost=2)
    shift_hits(BY_PHONE, ALICE, 61)
    limiter.hit([(BY_PHONE, ALICE)])
    assert len(stored_hits(BY_PHONE, ALICE)) == 3
    assert limiter.hit([(BY_PHONE, ALICE)], cost=2).allowed
    assert len(stored_hits(BY_PHONE, ALICE)) == 3
    assert not limiter.hit([(BY_PHONE, ALICE)]).allowed


async def test_a_batch_and_single_hits_fill_the_same_window() -> None:
    answers = await limiter.ahit(client.async_transport(), BY_IP, [7, 8, 7, 7])
    await client.aclose_all()
    assert [answer.allowed for answer in answers] == [True] * 4
    assert limiter.hit([(BY_IP, 7)], cost=2).allowed
    assert limiter.hit([(BY_IP, 7)]).name == "ip"
