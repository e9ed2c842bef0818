import json
from datetime import timedelta

import factory
import pytest
import time_machine
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from apps.accounts.models import User
from apps.web import paging
from tests.factories import UserFactory

parts = st.integers() | st.text(max_size=50) | st.floats(allow_nan=False, allow_infinity=False)


@example(["😀" * 12] * 4)
@example(["😀" * 50] * 4)
@given(st.lists(parts, max_size=4))
def test_a_cursor_gives_back_what_went_in(values: list[paging.SortValue]) -> None:
    try:
        cursor = paging.encode(*values)
    except ValueError:
        # In base64, with its signature, it would be longer than decode takes.
        assert len(json.dumps(values)) > 700
    else:
        assert paging.decode(cursor, [type(value) for value in values]) == tuple(values)


@given(st.text(max_size=200))
def test_a_made_up_cursor_is_refused(made_up: str) -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode(made_up, [int])


def test_a_changed_cursor_is_refused() -> None:
    cursor = paging.encode(4, 7)
    for place in range(len(cursor)):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(paging.BadCursor):
            paging.decode(changed, [int, int])


def test_a_huge_cursor_is_refused_before_it_is_read() -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode("W" * 10_000_000, [int])


def test_a_cursor_of_another_list_is_refused() -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode(paging.encode(1, kind="shops"), [int], kind="notes")


@pytest.mark.parametrize("types", [[str], [int, int], [], [float], [bool]])
def test_a_cursor_of_other_types_is_refused(types: list[type[paging.SortValue]]) -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode(paging.encode(1), types)


def test_true_is_not_a_number() -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode(paging.encode(True), [int])


def test_an_old_cursor_is_refused() -> None:
    cursor = paging.encode(1)
    with (
        time_machine.travel(timezone.now() + paging.MAX_CURSOR_AGE + timedelta(seconds=2)),
        pytest.raises(paging.BadCursor),
    ):
        paging.decode(cursor, [int])


@pytest.mark.parametrize("endless", [float("nan"), float("inf")])
def test_a_cursor_needs_finite_numbers(endless: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        paging.encode(endless)


def test_a_cursor_that_nobody_would_take_is_not_made() -> None:
    with pytest.raises(ValueError, match="short"):
        paging.encode("😀" * 80)


def test_a_cursor_fits_a_url() -> None:
    assert set(paging.encode(4.5, 7, "上海 ?&#")) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:."
    )


def people(cursor: str | None = None, size: int = 3) -> paging.Page[User]:
    return paging.fetch_page(
        User.objects.all(), order=("-city", "id"), types=(str, int), cursor=cursor, size=size
    )


@pytest.fixture
def ten_people(db: None) -> list[User]:
    made = UserFactory.bulk_create(10, city=factory.Iterator("ABC"))
    return sorted(made, key=lambda user: (-ord(user.city), user.pk))


@pytest.mark.both_databases
def test_pages_show_every_row_once_in_order(ten_people: list[User]) -> None:
    seen, cursor = [], None
    for _ in range(4):
        page = people(cursor)
        seen += page.items
        cursor = page.next
    assert (seen, cursor) == (ten_people, None)


@pytest.mark.both_databases
def test_rows_that_come_and_go_neither_repeat_nor_hide_others(ten_people: list[User]) -> None:
    first = people()
    first.items[2].delete()
    UserFactory.create(city="C")
    second = people(first.next, size=20)
    assert [user for user in second.items if user in ten_people] == ten_people[3:]


@pytest.mark.both_databases
def test_a_full_last_page_has_no_next(ten_people: list[User]) -> None:
    assert people(size=10).next is None


@pytest.mark.both_databases
def test_an_order_takes_no_cursor_of_another(ten_people: list[User]) -> None:
    with pytest.raises(paging.BadCursor):
        paging.fetch_page(
            User.objects.all(), order=("city", "id"), types=(str, int), cursor=people().next, size=3
        )


def cut(items: list[str], cursor: str | None = "", size: int | None = 2) -> paging.Page[str]:
    return paging.cut_list(items, key=lambda item: item, kind="letters", cursor=cursor or "", size=size)


def test_a_known_list_is_cut_into_pages() -> None:
    first = cut(["a", "b", "c", "d", "e"])
    second = cut(["a", "b", "c", "d", "e"], first.next)
    third = cut(["a", "b", "c", "d", "e"], second.next)
    assert [first.items, second.items, third.items, third.next] == [["a", "b"], ["c", "d"], ["e"], None]
    assert cut(["a", "b"]) == paging.Page(["a", "b"], None)
    assert cut(["a", "b", "c"], size=None) == paging.Page(["a", "b", "c"], None)
    assert cut(["a", "b", "c"], first.next, size=None) == paging.Page(["c"], None)
    assert cut([], first.next) == cut([]) == paging.Page([], None)


def test_a_known_list_goes_on_after_the_last_row_where_that_is_now() -> None:
    first = cut(["a", "b", "c", "d"])
    assert cut(["new", "a", "b", "c", "d"], first.next).items == ["c", "d"]
    assert cut(["b", "c", "d"], first.next).items == ["c", "d"]
    assert cut(["a", "c", "d"], first.next).items == ["d"], "the last row is gone: as many as were read"
