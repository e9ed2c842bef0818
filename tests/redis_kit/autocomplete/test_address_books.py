import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.redis_kit import client
from apps.redis_kit.autocomplete import address_books
from apps.redis_kit.autocomplete.spelling import fold
from tests.races import Race
from tests.redis_kit import keys

BOOK = keys.NAMES(book="members")


def test_three_names_begin_with_je_and_two_after_one_leaves(guarded_redis: redis.Redis) -> None:
    people = {1: "jeff", 2: "Jenny", 3: "jean", 4: "bob", 5: "jack"}
    for member_id, name in people.items():
        address_books.join(BOOK, member_id, name)
    assert sorted(address_books.find(BOOK, "je")) == [1, 2, 3]
    address_books.leave(BOOK, 2, "Jenny")
    assert sorted(address_books.find(BOOK, "je")) == [1, 3]


def test_exact_comes_before_prefix_before_contains(guarded_redis: redis.Redis) -> None:
    for member_id, name in enumerate(["alice li", "lily", "li", "小李 (Li)"]):
        address_books.join(BOOK, member_id, name)
    assert address_books.find(BOOK, "LI") == [2, 1, 0, 3]
    assert address_books.find(BOOK, "") == [0, 2, 1, 3]
    assert address_books.find(BOOK, "LI", 2) == [2, 1]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), max_size=12), st.integers(1, 4))
def test_any_text_is_found_by_any_beginning(names: list[str], length: int) -> None:
    """Braces, NUL, accents, emoji: the seed drops whatever has a brace."""
    client.get().delete(BOOK)
    for member_id, name in enumerate(names):
        address_books.join(BOOK, member_id, name)
    before = client.get().zrange(BOOK, 0, -1)
    for typed in {name[:length] for name in names}:
        beginning = {member_id for member_id, name in enumerate(names) if fold(name).startswith(fold(typed))}
        assert beginning <= set(address_books.find(BOOK, typed, 20))
    assert client.get().zrange(BOOK, 0, -1) == before


def test_fifty_join_and_leave_at_once(guarded_redis: redis.Redis, race: Race) -> None:
    for member_id in range(0, 50, 2):
        address_books.join(BOOK, member_id, "jean")

    def act(number: int) -> None:
        change = address_books.join if number % 2 else address_books.leave
        change(BOOK, number, "jean")

    assert race(50, act) == [None] * 50
    assert sorted(address_books.find(BOOK, "je", 100)) == list(range(1, 50, 2))
    for member_id in range(1, 50, 2):
        address_books.leave(BOOK, member_id, "jean")
    assert not guarded_redis.exists(BOOK)


def test_each_change_and_look_up_is_one_call(guarded_redis: redis.Redis, round_trips: list[object]) -> None:
    address_books.join(BOOK, 1, "jean")
    address_books.find(BOOK, "je", 1)
    address_books.leave(BOOK, 1, "jean")
    assert len(round_trips) == 3
