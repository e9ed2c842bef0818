"""Saving: one row a person and thing, its count, the limits, and the way back."""

from datetime import timedelta
from random import Random

import pytest
import time_machine
from django.utils import timezone

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves import limits, lists, saves
from apps.saves.models import ListEntry, Save, SaveList
from apps.saves.subjects import Subject
from apps.shops import changes
from apps.shops.models import Shop
from apps.web.problems import Problem
from tests.races import race
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_saved_shop_is_a_row_and_counts_once(alice: User, bob: User, place: Subject) -> None:
    assert saves.count(place) == 0
    assert saves.save(alice.pk, place) is True
    assert saves.save(alice.pk, place) is False
    saves.save(bob.pk, place)
    assert (Save.objects.count(), saves.count(place)) == (2, 2)
    saves.remove(alice.pk, place)
    assert saves.remove(alice.pk, place) == ""
    assert (Save.objects.count(), saves.count(place)) == (1, 1)


@pytest.mark.both_databases
def test_a_hundred_presses_at_once_save_once(alice: User, story: Subject) -> None:
    answers = race(100, lambda _: saves.save(alice.pk, story))
    assert sorted(map(str, answers)) == ["False"] * 99 + ["True"]
    assert (Save.objects.count(), saves.count(story)) == (1, 1)


@pytest.mark.both_databases
def test_saves_and_removals_at_once_leave_the_copies_right(alice: User, place: Subject) -> None:
    turns = Random(7).sample([saves.save, saves.remove] * 20, 40)
    answers = race(40, lambda number: turns[number](alice.pk, place))
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    is_saved = saves.is_saved(alice.pk, place)
    assert saves.SETS.load([alice.pk])[alice.pk] == ({place.pk} if is_saved else set())
    assert saves.count(place) == int(is_saved)


def test_what_nobody_sees_can_t_be_saved(alice: User, shop: Shop, note: Note) -> None:
    changes.update(Shop.objects.filter(pk=shop.pk), is_listed=False)
    Note.objects.filter(pk=note.pk).update(status=Note.Status.DELETED)
    for subject in (Subject("shop", shop.pk), Subject("note", note.pk), Subject("shop", 999)):
        with pytest.raises(Problem) as refused:
            saves.save(alice.pk, subject)
        assert refused.value.code == "not_found"


@pytest.mark.both_databases
def test_the_most_saves_are_exact_at_once(alice: User, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(saves, "MAX_SAVES", 5)
    places = shops.shops(12)
    answers = race(12, lambda number: saves.save(alice.pk, Subject("shop", places[number].pk)))
    refused = [answer for answer in answers if isinstance(answer, Problem)]
    assert {problem.code for problem in refused} == {"too_many_saves"}
    assert (len(refused), Save.objects.count()) == (7, 5)


def test_a_script_that_saves_and_saves_is_told_to_wait(alice: User, place: Subject) -> None:
    for _ in range(limits.SAVES_PER_MINUTE.allowed):
        limits.charge_save(alice.pk)
    with pytest.raises(Problem) as refused:
        saves.save(alice.pk, place)
    assert (refused.value.status, refused.value.code) == (429, "too_many_requests")


@pytest.mark.usefixtures("redis_away")
def test_without_redis_saving_and_counting_work(alice: User, bob: User, place: Subject) -> None:
    saves.save(alice.pk, place)
    saves.save(bob.pk, place)
    saves.remove(bob.pk, place)
    assert saves.count(place) == 1


def test_undo_brings_a_save_back_to_its_place_in_every_list(alice: User, place: Subject) -> None:
    trip = lists.create(alice.pk, name="Trip")
    other = lists.create(alice.pk, name="Other")
    for one in (trip, other):
        lists.put(one, place)
    before = list(ListEntry.objects.order_by("list").values_list("list", "created_at"))
    saved_at = Save.objects.get().created_at
    undo = saves.remove(alice.pk, place)
    lists.delete(other)
    assert saves.restore(alice.pk, undo) == place
    assert saves.restore(alice.pk, undo) == place, "twice is fine"
    assert Save.objects.get().created_at == saved_at
    assert list(ListEntry.objects.values_list("list", "created_at")) == before[:1]
    assert saves.count(place) == 1


def test_an_undo_is_its_owner_s_and_ends(alice: User, bob: User, place: Subject) -> None:
    saves.save(alice.pk, place)
    undo = saves.remove(alice.pk, place)
    for user, token in ((bob, undo), (alice, undo[:-1]), (alice, "")):
        with pytest.raises(Problem) as refused:
            saves.restore(user.pk, token)
        assert refused.value.code == "invalid"
    late = timezone.now() + saves.UNDO_PERIOD + timedelta(minutes=1)
    with time_machine.travel(late), pytest.raises(Problem) as refused:
        saves.restore(alice.pk, undo)
    assert refused.value.code == "too_late"


def test_a_deleted_account_takes_its_saves_along(alice: User, place: Subject) -> None:
    lists.put(lists.create(alice.pk, name="Trip"), place)
    alice.delete()
    assert not Save.objects.exists()
    assert not ListEntry.objects.exists()


def test_an_erased_account_leaves_no_save_and_no_count(alice: User, place: Subject) -> None:
    lists.put(lists.create(alice.pk, name="Trip"), place)
    assert saves.count(place) == 1
    rule = ERASURES.get("saves")
    assert rule
    exported = rule.export(alice.pk)
    assert list(exported) == ["saves", "lists", "list_entries"]
    (entry,) = exported["list_entries"]
    assert (entry["shop_id"], entry["note_id"]) == (place.pk, None)
    while rule.purge(alice.pk):
        pass
    assert (Save.objects.count(), SaveList.objects.count(), saves.count(place)) == (0, 0, 0)
