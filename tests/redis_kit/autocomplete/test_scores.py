import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from apps.redis_kit.autocomplete import scores
from tests.redis_kit import keys

names = st.text(max_size=12)
KEY = keys.NAMES(book="scores")


def encoded(name: str) -> bytes:
    return name.encode()


@given(names, names)
def test_order_by_score_is_order_by_six_bytes_longer_ones_after(one: str, other: str) -> None:
    first, second = encoded(one), encoded(other)
    by_name = (first[:6], len(first) > 6), (second[:6], len(second) > 6)
    by_score = scores.score(one), scores.score(other)
    assert (by_name[0] < by_name[1], by_name[0] == by_name[1]) == (
        by_score[0] < by_score[1],
        by_score[0] == by_score[1],
    )


@given(names, st.integers(0, 12))
def test_a_prefix_range_holds_every_name_that_begins_so(name: str, length: int) -> None:
    low, high = scores.prefix_range(name[:length])
    assert low <= scores.score(name) < high


@given(st.text(max_size=3), names)
def test_a_short_prefix_range_holds_no_other_name(prefix: str, name: str) -> None:
    low, high = scores.prefix_range(prefix)
    begins = encoded(name).startswith(encoded(prefix))
    assert (low <= scores.score(name) < high) == begins or len(encoded(prefix)) > 6


@given(names)
def test_a_double_holds_each_score(name: str) -> None:
    assert int(float(scores.score(name))) == scores.score(name) < scores.DOUBLE_LIMIT


def test_the_seeds_pair_differs_and_case_can_be_ignored() -> None:
    assert scores.score("robber") < scores.score("robbers")
    assert scores.score("Robber", ignore_case=True) == scores.score("robber")
    assert scores.prefix_range("") == (0, 2 * 257**6)


@pytest.mark.parametrize("size", [-1, 0, 7, 8])
def test_a_size_that_no_double_holds_is_refused(size: int) -> None:
    with pytest.raises(OverflowError):
        scores.score("name", size=size)
    with pytest.raises(OverflowError):
        scores.prefix_range("name", size=size)


def test_redis_finds_a_prefix_past_z(guarded_redis: redis.Redis) -> None:
    """The seed pads with "z": names past it, in braces or in Chinese, were lost."""
    called = ["abc", "abz{", "ab三楼", "ab\x7f", "ac", "aa"]
    guarded_redis.zadd(KEY, {name: scores.score(name) for name in called})
    low, high = scores.prefix_range("ab")
    matching = guarded_redis.zrange(KEY, low, f"({high}", byscore=True)
    assert matching == ["abc", "abz{", "ab\x7f", "ab三楼"]
    largest = scores.score("\U0010ffff" * 2)
    guarded_redis.zadd(KEY, {"largest": largest})
    assert guarded_redis.zscore(KEY, "largest") == largest
