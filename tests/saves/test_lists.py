"""Lists: their names, their limits, what is in them, and who sees them."""

from datetime import timedelta
from functools import partial

import factory
import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.blog.models import Note
from apps.saves import access, display, lists, saves, tasks
from apps.saves.models import UNDO_PERIOD, ListEntry, Save, SaveList
from apps.saves.subjects import Subject
from apps.shops import changes
from apps.shops.models import Shop
from apps.web import paging
from apps.web.problems import Problem
from tests.factories import SaveFactory
from tests.races import race
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


def code_of(refused: pytest.ExceptionInfo[Problem]) -> str:
    return refused.value.code


def test_a_name_is_needed_and_is_one_list_s(alice: User, bob: User) -> None:
    made = lists.create(alice.pk, name="  Rainy days ")
    assert made.name == "Rainy days"
    lists.create(bob.pk, name=made.name)
    with pytest.raises(Problem) as refused:
        lists.create(alice.pk, name=made.name)
    assert code_of(refused) == "name_taken"
    other = lists.create(alice.pk, name="Trip")
    with pytest.raises(Problem) as refused:
        lists.change(other, name=made.name)
    assert code_of(refused) == "name_taken"
    for name in ("", "   ", "x" * 41, "a\u202eb"):
        with pytest.raises(ValidationError):
            lists.create(alice.pk, name=name)


@pytest.mark.both_databases
def test_the_most_lists_are_exact_at_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_LISTS", 3)
    answers = race(8, lambda number: lists.create(alice.pk, name=f"List {number}"))
    refused = [answer for answer in answers if isinstance(answer, Problem)]
    assert {problem.code for problem in refused} == {"too_many_lists"}
    assert SaveList.objects.count() == 3


def test_a_list_s_entries_are_saved_too_and_stay_saved(alice: User, place: Subject) -> None:
    trip = lists.create(alice.pk, name="Trip")
    assert lists.put(trip, place) is True
    assert lists.put(trip, place) is False
    undo = lists.take(trip, place)
    assert lists.take(trip, place) == ""
    assert (ListEntry.objects.count(), Save.objects.count()) == (0, 1)
    saves.restore(alice.pk, undo)
    lists.delete(trip)
    assert Save.objects.count() == 1


@pytest.mark.both_databases
def test_a_deleted_list_comes_back_with_what_was_in_it(alice: User, bob: User, place: Subject) -> None:
    trip, other = lists.create(alice.pk, name="Trip"), lists.create(alice.pk, name="Other")
    lists.put(trip, place)
    lists.delete(trip)
    assert [row.save_list for row in display.list_rows(alice.pk)] == [other]
    assert [lists.list_restorable(person.pk) for person in (alice, bob)] == [[trip], []]
    with pytest.raises(Problem):
        access.visible_list(trip.pk, alice.pk)
    with pytest.raises(Problem):
        access.own_deleted_list(trip.pk, bob.pk)
    # A choice of lists made meanwhile leaves it alone.
    lists.choose(alice.pk, place, [other.pk])
    lists.restore(access.own_deleted_list(trip.pk, alice.pk))
    assert [row.shops for row in display.list_rows(alice.pk)] == [1, 1]
    with pytest.raises(Problem):
        access.own_deleted_list(trip.pk, alice.pk)


def test_a_deleted_list_leaves_its_name_and_its_place(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = lists.create(alice.pk, name="Trip")
    lists.delete(gone)
    lists.create(alice.pk, name="Trip")
    with pytest.raises(Problem) as refused:
        lists.restore(access.own_deleted_list(gone.pk, alice.pk))
    assert code_of(refused) == "name_taken"
    monkeypatch.setattr(lists, "MAX_LISTS", 1)
    with pytest.raises(Problem) as refused:
        lists.restore(access.own_deleted_list(gone.pk, alice.pk))
    assert code_of(refused) == "too_many_lists"


@pytest.mark.both_databases
def test_a_deleted_list_is_removed_after_a_month(alice: User) -> None:
    gone, kept = lists.create(alice.pk, name="Gone"), lists.create(alice.pk, name="Kept")
    lists.delete(gone)
    assert tasks.remove_deleted() == 0
    with time_machine.travel(timezone.now() + UNDO_PERIOD + timedelta(seconds=1)):
        with pytest.raises(Problem):
            access.own_deleted_list(gone.pk, alice.pk)
        assert tasks.remove_deleted() == 1
    assert list(SaveList.with_deleted.all()) == [kept]


@pytest.mark.both_databases
def test_a_choice_of_lists_is_what_it_is_in(alice: User, bob: User, story: Subject) -> None:
    first, second = (lists.create(alice.pk, name=name) for name in ("First", "Second"))
    strange = lists.create(bob.pk, name="Not mine")
    lists.put(first, story)
    kept = ListEntry.objects.get()
    chosen = lists.choose(alice.pk, story, [first.pk, strange.pk], new_name=" Third ")
    assert [one.name for one in chosen] == ["First", "Third"]
    assert kept in ListEntry.objects.all(), "what stays keeps its place"
    assert lists.choose(alice.pk, story, [second.pk]) == [second]
    assert [entry.list for entry in ListEntry.objects.all()] == [second]


@pytest.mark.both_databases
def test_lists_stand_in_the_order_of_their_newest_save(alice: User, place: Subject, story: Subject) -> None:
    first, second, third = (lists.create(alice.pk, name=name) for name in ("1", "2", "3"))
    lists.put(second, place)
    lists.put(first, story)
    assert [row.save_list for row in display.list_rows(alice.pk)] == [first, second, third]


@pytest.mark.both_databases
def test_what_is_gone_is_left_out_of_pages_and_numbers(
    alice: User, shop: Shop, note: Note, place: Subject, story: Subject
) -> None:
    trip = lists.create(alice.pk, name="Trip")
    others = [Subject("shop", one.pk) for one in shops.shops(paging.PAGE_SIZE + 5)]
    for subject in (place, story, *others):
        lists.put(trip, subject)
    gone = others[::5]
    changes.update(Shop.objects.filter(pk__in=[subject.pk for subject in gone]), is_listed=False)
    Note.objects.filter(pk=note.pk).update(status=Note.Status.DELETED)
    (row,) = display.list_rows(alice.pk)
    assert (row.shops, row.notes) == (1 + len(others) - len(gone), 0)
    for fetch in (
        partial(display.page_of_list, trip, "shop"),
        partial(display.page_of_person, alice.pk, "shop"),
    ):
        first = fetch(cursor="")
        second = fetch(cursor=first.next)
        found = [item.subject for item in (*first.items, *second.items)]
        assert (len(first.items), second.next) == (paging.PAGE_SIZE, None)
        assert found == [one for one in reversed([place, *others]) if one not in gone]
    assert display.page_of_list(trip, "note").items == []
    Note.objects.filter(pk=note.pk).update(status=Note.Status.PUBLISHED)
    assert [item.subject for item in display.page_of_list(trip, "note").items] == [story]


def test_a_private_list_is_its_owner_s(alice: User, bob: User, charlie: User) -> None:
    hidden = lists.create(alice.pk, name="Mine")
    shared = lists.create(alice.pk, name="Ours", is_public=True)
    assert access.visible_list(hidden.pk, alice.pk) == hidden
    assert access.visible_list(shared.pk, None) == shared
    assert [row.save_list for row in display.list_rows(alice.pk, public_only=True)] == [shared]
    blocks.block(charlie.pk, alice.pk)
    for viewer_id, found in ((bob.pk, hidden), (None, hidden), (charlie.pk, shared)):
        with pytest.raises(Problem) as refused:
            access.visible_list(found.pk, viewer_id)
        assert code_of(refused) == "not_found"
    with pytest.raises(Problem):
        access.own_list(shared.pk, bob.pk)


def test_entries_saved_at_the_same_moment_are_paged_once_each(alice: User) -> None:
    at = timezone.now() - timedelta(days=1)
    saved = shops.shops(paging.PAGE_SIZE + 3)
    SaveFactory.bulk_create(len(saved), user=alice, shop=factory.Iterator(saved), created_at=at)
    first = display.page_of_person(alice.pk, "shop")
    second = display.page_of_person(alice.pk, "shop", cursor=first.next or "")
    assert len({item.subject for item in (*first.items, *second.items)}) == len(saved)
