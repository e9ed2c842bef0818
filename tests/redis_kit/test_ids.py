import pytest
import redis
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from apps.redis_kit import ids, keys
from tests.races import Race

seconds = st.integers(0, 2**31 - 1)
counters = st.integers(0, 2**32 - 1)


@given(seconds, counters)
def test_an_id_is_its_second_and_its_counter(second: int, counter: int) -> None:
    assert ids.decompose(ids.compose(second, counter)) == (second, counter)


@given(seconds, counters, seconds, counters)
def test_ids_sort_by_time_then_counter(second: int, counter: int, later: int, other: int) -> None:
    mine, theirs = ids.compose(second, counter), ids.compose(later, other)
    assert (mine < theirs) == ((second, counter) < (later, other))


@given(seconds, counters)
def test_an_id_fits_a_signed_64_bit_column(second: int, counter: int) -> None:
    assert 0 <= ids.compose(second, counter) < 2**63


@pytest.mark.parametrize(("second", "counter"), [(-1, 0), (0, -1), (2**31, 0), (0, 2**32)])
def test_an_overflow_is_told(second: int, counter: int) -> None:
    with pytest.raises(OverflowError):
        ids.compose(second, counter)


def test_an_id_tells_when_it_was_made() -> None:
    assert abs((ids.created_at(ids.next_id("note")) - timezone.now()).total_seconds()) < 2


def test_ids_of_many_threads_are_unique(race: Race) -> None:
    answers = race(8, lambda _: [ids.next_id("note") for _ in range(200)])
    made = [number for run in answers for number in run]  # type: ignore[attr-defined]
    assert len(set(made)) == 1600


def test_each_thread_s_ids_only_grow(race: Race) -> None:
    for run in race(8, lambda _: [ids.next_id("note") for _ in range(50)]):
        assert run == sorted(run)  # type: ignore[call-overload]


def test_a_run_of_ids_overlaps_no_other() -> None:
    made = ids.next_ids("note", 5) + [ids.next_id("note")] + ids.next_ids("note", 3)
    assert made == sorted(set(made))


def test_nouns_count_apart() -> None:
    first, second = ids.next_id("note"), ids.next_id("order")
    assert ids.decompose(first)[1] == ids.decompose(second)[1] == 1


def test_a_clock_that_was_set_back_repeats_no_id(guarded_redis: redis.Redis) -> None:
    """To the script a clock that went back looks like a stored second in the future."""
    before = ids.next_id("note")
    key = keys.ID_CLOCK(noun="note")
    ahead = ids.decompose(before)[0] + 3600
    guarded_redis.hset(key, "second", ahead)
    made = [ids.next_id("note") for _ in range(3)]
    assert [ids.decompose(number)[0] for number in made] == [ahead] * 3
    assert made == sorted({*made} - {before})


def test_the_counter_starts_again_on_a_new_day(guarded_redis: redis.Redis) -> None:
    ids.next_ids("note", 50)
    guarded_redis.hincrby(keys.ID_CLOCK(noun="note"), "second", -86_400)
    assert ids.decompose(ids.next_id("note"))[1] == 1


def test_a_lost_clock_repeats_no_id_of_an_earlier_second(guarded_redis: redis.Redis) -> None:
    before = ids.compose(ids.decompose(ids.next_id("note"))[0] - 1, 2**32 - 1)
    guarded_redis.flushall()
    assert ids.next_id("note") > before


def test_the_clock_expires_after_two_days(guarded_redis: redis.Redis) -> None:
    ids.next_id("note")
    assert 0 <= ids.CLOCK_TTL_SECONDS - guarded_redis.ttl(keys.ID_CLOCK(noun="note")) < 2


def test_an_id_passes_what_json_numbers_hold() -> None:
    assert ids.next_id("note") > 2**53
