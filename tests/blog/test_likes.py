
import pytest

from apps.accounts.models import User
from apps.blog import heat, keys, likes
from apps.blog.models import Like, Note
from apps.redis_kit import client
from tests.blog import makers

pytestmark = pytest.mark.django_db(transaction=True)


def copy_of(note: Note) -> list[str]:
    """Who is in the copy, the mark included, in order."""
    found: list[str] = client.get().zrange(keys.LIKES(note=note.pk), 0, -1)
    return found


def looked_at(note: Note) -> likes.Likes:
    """As a stranger sees it now."""
    note.refresh_from_db()
    return likes.panel(note, None)


def test_a_like_is_a_row_a_count_and_heat(alice: User, bob: User) -> None:
    note = makers.note(alice)
    assert likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    assert note.likes == Like.objects.count() == 1
    assert note.heat == heat.of(1, note.published_at)


def test_a_second_like_changes_nothing(alice: User, bob: User) -> None:
    note = makers.note(alice)
    assert [likes.like(note.pk, bob.pk) for _ in range(3)] == [True, False, False]
    assert looked_at(note).count == 1


def test_an_unlike_takes_it_back_once(alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    looked_at(note)
    assert [likes.unlike(note.pk, bob.pk) for _ in range(2)] == [True, False]
    assert looked_at(note) == likes.Likes(0)
    assert copy_of(note) == ["*"]


def test_the_first_likers_come_in_order_of_time(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    for person in (charlie, alice, bob):
        likes.like(note.pk, person.pk)
    assert looked_at(note).first == [charlie, alice, bob]
    assert likes.first(note.pk, 2) == [charlie, alice]
    assert copy_of(note) == ["*", *(str(one.pk) for one in (charlie, alice, bob))]
