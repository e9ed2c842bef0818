"""Likes: the verbs, their rows and counts."""

from collections import Counter
from collections.abc import Callable

import factory
import pytest
from django.http import Http404
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import heat, like_copies, likes
from apps.blog.like_copies import FIRST_LIKERS, MAX_FIRST_LIKERS
from apps.blog.models import Like, Note
from tests.blog import makers
from tests.blog.liked_notes import row_user_ids
from tests.differences import find_differences
from tests.factories import LikeFactory, UserFactory
from tests.mailbox.makers import unread_kinds
from tests.races import race

Verb = Callable[[int, int], bool]

pytestmark = pytest.mark.django_db(transaction=True)


def copied_likers(note: Note) -> list[int]:
    """Who is in the copy of the first likers, in order."""
    return list(FIRST_LIKERS.read_copies([note.pk])[note.pk])


def likes_seen_now(note: Note) -> likes.NoteLikes:
    """As a stranger sees it now."""
    note.refresh_from_db()
    return likes.for_note_page(note, None)


def test_a_like_is_a_row_a_count_and_heat(alice: User, bob: User) -> None:
    note = makers.note(alice)
    assert likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    assert note.likes == Like.objects.count() == 1
    assert note.heat == heat.score(1, note.published_at)


def test_a_second_like_changes_nothing(alice: User, bob: User) -> None:
    note = makers.note(alice)
    assert [likes.like(note.pk, bob.pk) for _ in range(3)] == [True, False, False]
    assert likes_seen_now(note).count == 1


def test_an_unlike_takes_it_back_once(alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    likes_seen_now(note)
    assert [likes.unlike(note.pk, bob.pk) for _ in range(2)] == [True, False]
    assert likes_seen_now(note) == likes.NoteLikes(0)


@pytest.mark.both_databases
def test_the_first_likers_come_in_order_of_time(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    for person in (charlie, alice, bob):
        likes.like(note.pk, person.pk)
    assert likes_seen_now(note).first == [charlie, alice, bob]
    assert copied_likers(note) == [one.pk for one in (charlie, alice, bob)]


def test_one_may_like_oneself(alice: User) -> None:
    note = makers.note(alice)
    assert likes.like(note.pk, alice.pk)
    assert unread_kinds(alice) == []


def test_the_author_hears_of_a_like_until_it_is_taken_back(alice: User, bob: User) -> None:
    note = makers.note(alice)
    for verb, kinds in (
        (likes.like, ["like"]),
        (likes.like, ["like"]),
        (likes.unlike, []),
        (likes.unlike, []),
    ):
        verb(note.pk, bob.pk)
        assert unread_kinds(alice) == kinds


@pytest.mark.parametrize("status", [Note.Status.DRAFT, Note.Status.DELETED])
@pytest.mark.parametrize("verb", [likes.like, likes.unlike])
def test_a_note_that_nobody_sees_is_not_there(alice: User, verb: Verb, status: str) -> None:
    note = makers.note(alice, status=status)
    for note_id in (note.pk, note.pk + 1):
        with pytest.raises(Http404):
            verb(note_id, alice.pk)
    assert not Like.objects.exists()


def test_a_count_that_had_drifted_does_not_break_an_unlike(alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    Note.objects.update(likes=0)
    assert likes.unlike(note.pk, bob.pk)
    assert likes_seen_now(note).count == 0


@pytest.mark.both_databases
def test_a_page_of_what_a_person_likes(alice: User, bob: User) -> None:
    notes = [makers.note(alice, title=str(number)) for number in range(25)]
    for note in notes:
        likes.like(note.pk, bob.pk)
    Note.objects.filter(title__in=["3", "23"]).update(status=Note.Status.DELETED)
    first = likes.list_liked_notes(bob.pk, cursor=None)
    second = likes.list_liked_notes(bob.pk, cursor=first.next)
    shown = [note.title for note in first.items + second.items]
    assert shown == [str(number) for number in reversed(range(25)) if number not in {3, 23}]
    assert second.next is None


@pytest.mark.both_databases
def test_pages_of_likers_at_equal_times(alice: User) -> None:
    note = makers.note(alice)
    everybody = UserFactory.bulk_create(45)
    at = timezone.now()
    LikeFactory.bulk_create(45, note=note, user=factory.Iterator(everybody), created_at=at)
    seen, cursor = list[User](), None
    for _ in range(3):
        page = likes.list_likers(note.pk, cursor=cursor)
        seen, cursor = seen + [row.user for row in page.items], page.next
    assert seen == everybody
    assert cursor is None


@pytest.mark.both_databases
def test_a_hundred_likes_at_once_are_a_hundred(alice: User) -> None:
    note, everybody = makers.note(alice), UserFactory.bulk_create(50)
    likes_seen_now(note)
    # Everybody twice.
    answers = race(100, lambda number: likes.like(note.pk, everybody[number // 2].pk))
    assert Counter(map(repr, answers)) == {"True": 50, "False": 50}
    assert likes_seen_now(note).count == Like.objects.count() == 50
    assert find_differences("blog.notes") == []
    assert copied_likers(note) == row_user_ids(note)[:MAX_FIRST_LIKERS]


@pytest.mark.both_databases
def test_a_storm_of_likes_and_unlikes_ends_consistent(alice: User) -> None:
    note, everybody = makers.note(alice), UserFactory.bulk_create(10)
    likes.like(note.pk, everybody[0].pk)

    def act(number: int) -> object:
        person = everybody[number % 10].pk
        # Looks among them: builds of the copy run into the changes.
        if number % 4 == 3:
            like_copies.forget([note.pk])
            return likes_seen_now(Note.objects.get(pk=note.pk))
        return (likes.unlike if number % 3 == 0 else likes.like)(note.pk, person)

    for _ in range(3):
        answers = race(60, act)
        assert not [one for one in answers if isinstance(one, Exception)]
        likes_seen_now(note)
        assert find_differences("blog.notes") == []
        assert note.likes == Like.objects.count()
        likes.for_note_page(note, None)
        assert copied_likers(note) == row_user_ids(note)[:MAX_FIRST_LIKERS]
