"""Notes: the verbs."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import access, limits
from apps.blog.models import UNDO_PERIOD, Note, Photo
from apps.blog.writing import notes
from apps.web.problems import Problem
from tests.blog import authors, makers
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)


def refused_fields(author: User, *, publish: bool = True, **fields: Any) -> list[str]:
    """The fields for which a whole note with these changes is refused."""
    with pytest.raises(ValidationError) as refused:
        notes.create(author, makers.shop(), publish=publish, **authors.complete_note(author, **fields))
    return sorted(refused.value.message_dict)


def draft(author: User, **fields: Any) -> Note:
    return notes.create(author, makers.shop(), **authors.complete_note(author, **fields))


@pytest.mark.both_databases
def test_a_note_is_published_with_its_photos_in_order(alice: User) -> None:
    ids = [authors.photo_row(alice).pk for _ in range(3)][::-1]
    note = notes.create(alice, makers.shop(), publish=True, **authors.complete_note(alice, photo_ids=ids))
    assert note.status == "published"
    assert note.published_at
    assert note.heat
    assert [photo.pk for photo in note.photos.all()] == ids


def test_a_draft_may_be_empty(alice: User) -> None:
    assert notes.create(alice, makers.shop()).status == "draft"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": "", "text": ""}, ["text"]),
        ({"title": "  ", "text": "\n\t "}, ["text"]),
        ({"title": "\u200b\u200d", "text": "\u00ad"}, ["text"]),
        ({"rating": None}, ["rating"]),
        ({"taste": 6}, ["taste"]),
        ({"title": "", "text": "", "rating": None, "photo_ids": []}, ["rating", "text"]),
    ],
)
def test_what_is_not_whole_is_not_published(alice: User, fields: dict[str, Any], named: list[str]) -> None:
    assert refused_fields(alice, **fields) == named
    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": "NUL \x00"}, ["title"]),
        ({"text": "NUL \x00"}, ["text"]),
        ({"text": "half \ud800"}, ["text"]),
        ({"title": "half \udfff"}, ["title"]),
        ({"text": "bell \x07"}, ["text"]),
        ({"text": "turned \u202e round"}, ["text"]),
        ({"text": "private \ue000"}, ["text"]),
        ({"text": "stacked a" + "\u0301" * 5}, ["text"]),
        ({"title": "two\nlines"}, ["title"]),
        ({"title": "x" * 81}, ["title"]),
        ({"text": "x" * 5_001}, ["text"]),
        ({"rating": 0}, ["rating"]),
        ({"rating": 6}, ["rating"]),
        ({"rating": -1}, ["rating"]),
        ({"rating": 2**70}, ["rating"]),
    ],
)
def test_a_draft_is_not_saved_with_words_that_harm(
    alice: User, fields: dict[str, Any], named: list[str]
) -> None:
    assert refused_fields(alice, publish=False, **fields) == named
    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  a\r\nb\rc  ", "a\nb\nc"),
        ("a\n\n\n \t\n\nb", "a\n\nb"),
        ("👩\u200d🍳 很好吃 ğ \U0001f962", "👩\u200d🍳 很好吃 ğ \U0001f962"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("x" * 5_000, "x" * 5_000),
        ("tab\there", "tab\there"),
    ],
)
def test_any_other_text_is_kept(alice: User, text: str, kept: str) -> None:
    assert draft(alice, text=text).text == kept


def test_photos_are_ones_own_free_and_named_once(alice: User, bob: User) -> None:
    mine, taken = authors.photo_row(alice).pk, makers.note(alice).photos.get().pk
    for ids in ([authors.photo_row(bob).pk], [taken], [mine, mine], [2**63 - 1]):
        assert refused_fields(alice, photo_ids=ids) == ["photo_ids"]
    assert refused_fields(alice, photo_ids=[authors.photo_row(alice).pk for _ in range(10)]) == ["photo_ids"]
    assert Photo.objects.get(pk=mine).note is None


def test_saving_leaves_out_what_was_not_said(alice: User) -> None:
    note = draft(alice)
    notes.save(note, title="Better broth")
    note.refresh_from_db()
    assert (note.title, note.text, note.rating, note.photos.count()) == ("Better broth", "Good.", 4, 1)


@pytest.mark.both_databases
def test_photos_that_are_left_out_are_deleted_and_others_reordered(alice: User) -> None:
    ids = [authors.photo_row(alice).pk for _ in range(3)]
    note = draft(alice, photo_ids=ids)
    notes.save(note, photo_ids=[ids[2], ids[0]])
    assert [photo.pk for photo in note.photos.all()] == [ids[2], ids[0]]
    assert not Photo.objects.filter(pk=ids[1]).exists()


@pytest.mark.both_databases
def test_a_published_note_stays_whole(alice: User) -> None:
    note = notes.publish(draft(alice))
    with pytest.raises(ValidationError):
        notes.save(note, title="", text=" ")
    with pytest.raises(ValidationError):
        notes.save(note, rating=None)
    assert Note.objects.get(pk=note.pk).text == "Good."


def test_publishing_again_changes_nothing(alice: User) -> None:
    note = notes.publish(draft(alice))
    assert notes.publish(note).published_at == note.published_at


@pytest.mark.both_databases
def test_two_who_publish_at_once_publish_once(alice: User) -> None:
    note = draft(alice)
    answers = race(2, lambda _: notes.publish(note))
    times = {answer.published_at for answer in answers if isinstance(answer, Note)}
    assert len(times) == 1
    assert Note.objects.published().get().published_at in times


@pytest.mark.both_databases
def test_one_photo_goes_to_one_of_two_notes(alice: User) -> None:
    shop, photo = makers.shop(), authors.photo_row(alice)
    content = authors.complete_note(alice, photo_ids=[photo.pk])
    answers = race(6, lambda _: notes.create(alice, shop, publish=True, **content))
    assert sum(isinstance(answer, Note) for answer in answers) == 1
    assert sum(isinstance(answer, ValidationError) for answer in answers) == 5
    assert Note.objects.count() == 1


def test_a_deleted_note_comes_back_as_it_was(alice: User) -> None:
    note = notes.publish(draft(alice))
    notes.delete(note)
    with pytest.raises(Http404):
        access.note(note.pk, alice)
    back = notes.undo_delete(access.own_deleted_note(note.pk, alice))
    assert (back.status, back.published_at, back.deleted_at) == ("published", note.published_at, None)
    deleted_draft = draft(alice)
    notes.delete(deleted_draft)
    assert notes.undo_delete(access.own_deleted_note(deleted_draft.pk, alice)).status == "draft"


@pytest.mark.both_databases
def test_deleting_twice_at_once_deletes_once(alice: User) -> None:
    note = notes.publish(draft(alice))
    answers = race(3, lambda _: notes.delete(note))
    assert sum(answer is None for answer in answers) == 1
    assert sum(isinstance(answer, Http404) for answer in answers) == 2


def test_the_way_back_closes_after_a_month_and_for_what_staff_hid(alice: User, bob: User) -> None:
    note, hidden = makers.note(alice), makers.note(alice)
    notes.delete(note)
    notes.hide(hidden)
    for found, person in ((hidden, alice), (note, bob)):
        with pytest.raises(Http404):
            access.own_deleted_note(found.pk, person)
    with time_machine.travel(timezone.now() + UNDO_PERIOD + timedelta(hours=1)), pytest.raises(Http404):
        access.own_deleted_note(note.pk, alice)
    assert notes.restore(hidden).status == "published"


def test_a_note_whose_photos_are_gone_comes_back_without_them(alice: User) -> None:
    note = makers.note(alice)
    notes.delete(note)
    note.photos.all().delete()
    assert notes.restore(note).status == "published"


def test_a_draft_is_its_authors_alone(alice: User, bob: User) -> None:
    note = draft(alice)
    assert access.note(note.pk, alice) == note
    for viewer in (bob, None):
        with pytest.raises(Http404):
            access.note(note.pk, viewer)
    with pytest.raises(Http404):
        access.own_note(note.pk, bob)


def test_a_person_writes_ten_notes_an_hour(alice: User, bob: User) -> None:
    shop = makers.shop()
    for _ in range(limits.NEW_NOTES.allowed):
        notes.create(alice, shop)
    with pytest.raises(Problem) as refused:
        notes.create(alice, shop)
    assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
    assert 0 < (refused.value.retry_after or 0) <= 3_600
    assert Note.objects.count() == limits.NEW_NOTES.allowed
    notes.create(bob, shop)


def test_a_person_changes_notes_sixty_times_an_hour(alice: User) -> None:
    note, deleted = makers.note(alice), makers.note(alice)
    notes.delete(deleted)
    for _ in range(limits.EDITS.allowed):
        limits.charge(limits.EDITS, alice.pk)
    with pytest.raises(Problem, match="too_many_requests"):
        notes.save(note, title="Once more")
    with pytest.raises(Problem, match="too_many_requests"):
        notes.undo_delete(deleted)
    assert sorted(Note.objects.values_list("title", "status")) == [
        (note.title, "deleted"),
        (note.title, "published"),
    ]


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_notes_are_written_while_redis_is_away(alice: User) -> None:
    note = notes.publish(draft(alice))
    notes.delete(note)
    assert notes.undo_delete(note).status == "published"
