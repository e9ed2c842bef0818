import random

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.redis_kit import client
from apps.redis_kit.autocomplete.name_order import NameOrder, PlacedName
from tests.races import Race
from tests.redis_kit import keys


@pytest.fixture
def order(guarded_redis: redis.Redis) -> NameOrder:
    return build_order()


def build_order() -> NameOrder:
    return NameOrder(keys.ORDER_RECORDS(), keys.ORDER_NAMES(), keys.ORDER_PLACES())


def put(order: NameOrder, member: str, key: str, version: int = 1) -> int:
    return order.put([PlacedName(member, version, key)])


def test_names_stand_by_their_whole_keys_and_equals_by_member(order: NameOrder) -> None:
    same_beginning = "x" * 300
    put(order, "a1", same_beginning + "b")
    put(order, "a2", same_beginning + "a")
    put(order, "a4", "same")
    put(order, "a3", "same")
    put(order, "a5", same_beginning)
    assert order.first(9) == ["a3", "a4", "a5", "a2", "a1"]


def test_a_rename_moves_and_an_older_version_does_not(order: NameOrder) -> None:
    put(order, "a1", "bread")
    put(order, "a2", "dumpling")
    assert put(order, "a1", "egg", version=3) == 1
    assert put(order, "a1", "apple", version=2) == 0
    assert order.first(9) == ["a2", "a1"]
    put(order, "a1", "", version=4)
    put(order, "a1", "egg", version=3)
    assert order.first(9) == ["a2"]
    assert client.get().zcard(order.names) == 1


@pytest.mark.parametrize("is_falling", [False, True])
def test_names_between_two_neighbours_never_run_out_of_room(order: NameOrder, is_falling: bool) -> None:
    """Each halves what the last one left: 53 of them would exhaust a double."""
    put(order, "first", "a")
    put(order, "last", "z")
    numbers = range(999, 599, -1) if is_falling else range(600, 1_000)
    order.put([PlacedName(f"m{number}", 1, f"k{number}") for number in numbers])
    expected = ["first", *(f"m{number}" for number in range(600, 1_000)), "last"]
    assert order.first(500) == expected
    places = client.get().zmscore(order.places, expected)
    assert all(place == int(place or 0) for place in places)
    assert len(set(places)) == len(places)


def test_names_in_any_turn_stand_in_order(order: NameOrder) -> None:
    numbers = list(range(3_000))
    random.Random(5).shuffle(numbers)
    order.put([PlacedName(f"m{number}", 1, f"{number:04}") for number in numbers])
    assert order.first(3_000) == [f"m{number}" for number in range(3_000)]


def test_fifty_renames_at_once_leave_the_newest(order: NameOrder, race: Race) -> None:
    put(order, "a2", "n25.5")
    race(50, lambda number: put(order, "a1", f"n{number:02}", version=number + 1))
    assert order.first(9) == ["a2", "a1"]
    assert client.get().hget(order.records, "a1") == "50|n49"
    assert client.get().zcard(order.names) == 2


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.text("ab\1海ß", min_size=0, max_size=4)), max_size=40))
def test_after_any_edits_the_order_is_that_of_the_keys(edits: list[tuple[int, str]]) -> None:
    client.get().flushall()
    order, expected = build_order(), dict[str, str]()
    for version, (member, key) in enumerate(edits, 1):
        put(order, f"a{member}", key, version=version)
        expected[f"a{member}"] = key
    present = sorted((key, member) for member, key in expected.items() if key)
    assert order.first(99) == [member for _key, member in present]
