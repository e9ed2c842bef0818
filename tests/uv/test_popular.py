"""What is popular now: the order of exact exponential decay, however time passes."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.redis_kit import client
from apps.uv import days, keys, popular
from apps.uv.page_kinds import Scope

HALF_LIFE = popular.HALF_LIFE.total_seconds()
RANKING, EPOCH = "savor:uv:{shop}:popular", "savor:uv:{shop}:popular-epoch"
NUMBERS = itertools.count()
Views = list[tuple[int, float]]


def view(object_id: int, visitor: str = "") -> None:
    """A view by that visitor, or by somebody new."""
    visitor = visitor or f"visitor {next(NUMBERS)}"
    held, args = popular.view_call(Scope("shop", object_id), [visitor], days.today())
    assert popular.VIEW_OBJECT(client.get(), keys=held, args=args) == popular.ViewOutcome.COUNTED


def pass_time(half_lives: float) -> None:
    """Everything that was counted is that much older."""
    held: Any = client.get()
    held.set(EPOCH, repr(float(held.get(EPOCH)) - half_lives * HALF_LIFE), keepttl=True)


def scores() -> dict[int, float]:
    held: Any = client.get().zrange(RANKING, 0, -1, withscores=True)
    return {int(object_id): score for object_id, score in held}


@settings(
    max_examples=30, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(views=st.lists(st.tuples(st.integers(1, 8), st.floats(0, 90)), min_size=1, max_size=40))
def test_the_order_is_that_of_exact_decay(views: Views) -> None:
    """Pauses of up to 90 half-lives add up past the 500 at which the weights are scaled down."""
    client.get().flushall()
    exact: dict[int, float] = {}
    for object_id, pause in views:
        view(object_id)
        exact[object_id] = exact.get(object_id, 0.0) + 1.0
        pass_time(pause)
        exact = {one: held * 2.0**-pause for one, held in exact.items()}
    ranked = popular.top_ids("shop", 50)
    assert set(ranked) == set(exact)
    for higher, lower in zip(ranked, ranked[1:], strict=False):
        # The calls themselves take a moment, in which Redis's clock goes on.
        assert exact[higher] >= exact[lower] * (1 - 1e-3)


def test_scaling_the_weights_changes_no_order_and_no_proportion() -> None:
    for object_id, pause in ((1, 0), (2, 1), (2, 3), (3, 200), (4, 299)):
        view(object_id)
        pass_time(pause)
    before, order = scores(), popular.top_ids("shop", 9)
    view(5)
    after = scores()
    assert popular.top_ids("shop", 9) == [5, *order]
    shifts = {math.log2(after[one] / before[one]) for one in before}
    assert shifts == {-503}
    assert 1 <= after[5] < 2


def test_a_view_half_a_day_ago_weighs_a_quarter() -> None:
    view(1)
    pass_time(2)
    view(2)
    held = scores()
    assert held[2] / held[1] == pytest.approx(4, rel=1e-3)


def test_twelve_visitors_outrank_forty_reloads_of_one() -> None:
    for _ in range(40):
        view(1, "the owner")
    for number in range(12):
        view(2, f"guest {number}")
    assert popular.top_ids("shop", 2) == [2, 1]
    assert client.get().hget(keys.VIEWS(scope="shop", day=str(days.today())), "1") == "40"


def test_only_the_most_viewed_are_kept() -> None:
    held, _args = popular.view_call(Scope("shop", 1), ["visitor"], days.today())
    for object_id in (1, 1, 1, 2, 2, 3, 4, 4):
        visitor = f"visitor {next(NUMBERS)}"
        popular.VIEW_OBJECT(client.get(), keys=held, args=[object_id, 1, 100, 60, 3600, 3, 60, visitor])
    assert popular.top_ids("shop", 9) == [1, 4, 2]


def test_a_ranking_without_its_epoch_starts_over() -> None:
    view(1)
    client.get().delete(EPOCH)
    view(2)
    assert popular.top_ids("shop", 9) == [2]


def test_the_epoch_outlives_no_ranking_and_the_other_way_round() -> None:
    view(1)
    lives = [client.get().ttl(key) for key in (RANKING, EPOCH)]
    assert lives == [keys.POPULAR_KEPT.total_seconds()] * 2


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nothing_is_popular() -> None:
    assert popular.top_ids("shop", 9) == []
