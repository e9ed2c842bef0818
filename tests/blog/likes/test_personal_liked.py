"""The part "liked" of GET /api/me/page."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog.likes import likes
from tests.blog import makers
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


def liked_part(client: Client, *note_ids: int) -> list[int]:
    response = client.get("/api/me/page", {"notes": ",".join(map(str, note_ids))})
    found: list[int] = response.json()["liked"]
    return found


def test_own_likes_among_the_shown_notes(alice: User, bob: User, round_trips: list[object]) -> None:
    first, second, third = (makers.note(bob).pk for _ in range(3))
    browser = buyers.browser_client(alice)
    for note_id, person in ((first, alice), (second, bob), (third, alice)):
        likes.like(note_id, person.pk)
    assert liked_part(browser, third, second, first) == [third, first]
    likes.unlike(first, alice.pk)
    assert liked_part(browser, third, second, first) == [third]
    assert liked_part(Client(), third) == []


@pytest.mark.both_databases
def test_notes_without_likes_are_in_redis_after_the_first_look(alice: User, bob: User) -> None:
    note = makers.note(bob)
    browser = buyers.browser_client(alice)
    assert liked_part(browser, note.pk) == []
    likes.like(note.pk, alice.pk)
    assert liked_part(browser, note.pk) == [note.pk]
