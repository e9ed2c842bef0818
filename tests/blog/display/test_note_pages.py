"""A note's page and lists of notes, as a browser without scripts uses them."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from apps.accounts.models import User
from apps.blog import comments, likes, tasks
from apps.blog.models import UNDO_PERIOD, Comment, Note
from apps.blog.writing import notes
from tests.blog import authors, makers

pytestmark = pytest.mark.django_db(transaction=True)
HARM = "<script>alert(1)</script>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


@pytest.mark.parametrize("end", ["edit/", "delete/"])
def test_others_can_neither_edit_nor_delete(alice: User, bob: User, end: str) -> None:
    note = makers.note(alice)
    for method in ("get", "post"):
        assert getattr(authors.browser_client(bob), method)(f"/notes/{note.pk}/{end}").status_code == 404
        answer = getattr(Client(), method)(f"/notes/{note.pk}/{end}")
        assert answer["Location"].startswith("/login/?next=")
    assert Note.objects.published().exists()


def test_deleting_asks_first_and_can_be_undone(alice: User, client: Client) -> None:
    note, me = makers.note(alice), authors.browser_client(alice)
    assert "Delete this note?" in text(me.get(f"/notes/{note.pk}/delete/"))
    page = me.post(f"/notes/{note.pk}/delete/", follow=True)
    assert f'action="/notes/{note.pk}/restore/"' in text(page)
    assert client.get(f"/notes/{note.pk}/").status_code == 404
    assert "Your note is back." in text(me.post(f"/notes/{note.pk}/restore/", follow=True))
    assert client.get(f"/notes/{note.pk}/").status_code == 200
    assert me.post(f"/notes/{note.pk}/restore/").status_code == 404


@pytest.mark.both_databases
def test_what_was_deleted_is_listed_with_the_way_back(alice: User, bob: User) -> None:
    note, other = makers.note(alice, title="Gone by mistake"), makers.note(bob)
    notes.delete(note)
    said = comments.add(other.pk, alice, "A word too much")
    comments.delete(said, by=alice)
    by_staff = comments.add(other.pk, alice, "Hidden by staff")
    comments.delete(by_staff)
    page = text(authors.browser_client(alice).get("/me/notes/?status=deleted"))
    assert f'action="/notes/{note.pk}/restore/"' in page
    assert f'action="/comments/{said.pk}/restore/"' in page
    assert "Gone by mistake" in page
    assert "Hidden by staff" not in page
    assert "/restore/" not in text(authors.browser_client(bob).get("/me/notes/?status=deleted"))


@pytest.mark.both_databases
def test_what_was_deleted_a_month_ago_is_erased(alice: User, bob: User) -> None:
    gone, hidden, other = makers.note(alice), makers.note(alice), makers.note(bob)
    notes.delete(gone)
    notes.hide(hidden)
    said, by_staff = (comments.add(other.pk, alice, words) for words in ("One", "Two"))
    comments.delete(said, by=alice)
    comments.delete(by_staff)
    assert tasks.erase_deleted() == 0
    with time_machine.travel(timezone.now() + UNDO_PERIOD + timedelta(seconds=1)):
        assert tasks.erase_deleted() == 2
        assert tasks.erase_deleted() == 0
    assert set(Note.objects.all()) == {hidden, other}
    assert list(Comment.objects.all()) == [by_staff]


@pytest.mark.both_databases
def test_the_way_back_is_not_offered_after_a_month(alice: User) -> None:
    note = makers.note(alice)
    notes.delete(note)
    with time_machine.travel(timezone.now() + UNDO_PERIOD + timedelta(hours=1)):
        me = authors.browser_client(alice)
        assert "/restore/" not in text(me.get("/me/notes/?deleted=1"))
        assert me.post(f"/notes/{note.pk}/restore/").status_code == 404


def test_a_deleted_note_is_nowhere(alice: User, bob: User) -> None:
    note = makers.note(alice, title="Gone with the broth")
    notes.delete(note)
    lists = ("/notes/", "/me/notes/", f"/shops/{note.shop_id}/notes/", f"/people/{alice.pk}/notes/")
    pages = (*lists, f"/shops/{note.shop_id}/", f"/people/{alice.pk}/")
    for path in pages:
        assert "Gone with the broth" not in text(authors.browser_client(alice).get(path)), path
    for path in (f"/notes/{note.pk}/", f"/notes/{note.pk}/edit/", f"/notes/{note.pk}/delete/"):
        assert authors.browser_client(alice).get(path).status_code == 404


@pytest.mark.parametrize(
    "path", ["/notes/0/", f"/notes/{2**63}/", "/notes/x/", "/notes/999999/", "/notes/-1/"]
)
def test_no_note_is_there(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 404


def test_html_is_shown_as_text_everywhere(alice: User, bob: User, client: Client) -> None:
    note = makers.note(alice, title=HARM, text=f"{HARM}\nsecond line")
    comments.add(note.pk, bob, HARM)
    for path in (f"/notes/{note.pk}/", f"/shops/{note.shop_id}/", f"/people/{alice.pk}/", "/notes/"):
        page = text(client.get(path))
        assert HARM not in page
        assert escape(HARM) in page
    for path in ("/me/notes/", f"/notes/{note.pk}/edit/", f"/notes/{note.pk}/delete/"):
        assert HARM not in text(authors.browser_client(alice).get(path))


def test_the_page_shows_photos_author_shop_likes_and_comments(alice: User, bob: User, client: Client) -> None:
    note = makers.note(alice, photos=3)
    likes.like(note.pk, bob.pk)
    comments.add(note.pk, bob, "We go there every week.")
    page = text(client.get(f"/notes/{note.pk}/"))
    for photo in note.photos.all():
        assert page.partition("<main")[2].count(f'src="{photo.url}"') == 1
        assert page.count(photo.card_url) == 1
    assert re.findall(r'id="photo-(\d)"', page) == ["1", "2", "3"]
    for shown in (note.title, "Alice", note.shop.name, "We go there every week.", "Bob"):
        assert escape(shown) in page
    assert f"/people/{alice.pk}/" in page


def test_the_note_of_a_shop_that_left_names_it_without_a_link(alice: User, client: Client) -> None:
    note = makers.note(alice, shop=makers.shop(is_listed=False))
    page = text(client.get(f"/notes/{note.pk}/"))
    assert note.shop.name in page
    assert f'href="/shops/{note.shop_id}/"' not in page


def test_lists_are_empty_with_a_way_on(alice: User, bob: User) -> None:
    shop, me = makers.shop(), authors.browser_client(alice)
    for path in (
        "/me/notes/",
        "/me/notes/?status=draft",
        f"/shops/{shop.pk}/notes/",
        f"/shops/{shop.pk}/",
        f"/people/{alice.pk}/notes/",
        f"/people/{alice.pk}/",
    ):
        assert 'href="/notes/new/' in text(me.get(path)), path
    assert 'href="/notes/"' in text(me.get(f"/people/{bob.pk}/notes/"))


@pytest.mark.both_databases
@pytest.mark.parametrize("path", ["/me/notes/", "/shops/{shop}/notes/", "/people/{user}/notes/"])
def test_the_more_link_leads_through_every_note(alice: User, path: str) -> None:
    made = {makers.note(alice).pk for _ in range(45)}
    me, address = authors.browser_client(alice), path.format(shop=makers.shop().pk, user=alice.pk)
    seen: list[int] = []
    while address:
        page = me.get(address, headers={"HX-Request": "true"} if "cursor" in address else {})
        seen += [getattr(card, "note", card).pk for card in page.context["cards"]]
        address = page.context["next_url"]
    assert len(seen) == len(made)
    assert set(seen) == made
    assert me.get(path.format(shop=makers.shop().pk, user=alice.pk), {"cursor": "x"}).status_code == 422


PAGES = ["/me/notes/", "/shops/{shop}/notes/", "/people/{user}/notes/", "/people/{user}/", "/shops/{shop}/"]


@pytest.mark.parametrize("path", PAGES)
def test_twenty_notes_cost_what_ten_do(alice: User, path: str, round_trips: list[object]) -> None:
    me, address = authors.browser_client(alice), path.format(shop=makers.shop().pk, user=alice.pk)

    def cost() -> tuple[int, int]:
        for _ in range(10):
            likes.like(makers.note(alice, photos=2).pk, alice.pk)
        me.get(address)
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            assert me.get(address).status_code == 200
        return len(queries), len(round_trips)

    assert cost() == cost()


@pytest.mark.one_server("trips to it are counted")
def test_a_notes_page_costs_the_same_whatever_it_has(
    alice: User, bob: User, round_trips: list[object]
) -> None:
    me = authors.browser_client(bob)

    def cost(photos: int, many: int) -> tuple[int, int]:
        note = makers.note(alice, photos=photos)
        likes.like(note.pk, alice.pk)
        for number in range(many):
            comments.add(note.pk, (alice, bob)[number % 2], "Yes.")
        me.get(f"/notes/{note.pk}/")
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            assert me.get(f"/notes/{note.pk}/").status_code == 200
        return len(queries), len(round_trips)

    assert cost(2, 5) == cost(9, 15)


def test_a_person_shows_how_many_notes_and_likes(client: Client, alice: User, bob: User) -> None:
    for many in (2, 3):
        makers.note(alice, likes=many)
    makers.note(alice, likes=9, status=Note.Status.DELETED)
    makers.note(bob, likes=50)
    told = client.get(f"/api/users/{alice.pk}").json()["counts"]
    assert (told["notes"], told["likes"]) == (2, 5)
    page = client.get(f"/people/{alice.pk}/").content.decode()
    for end in ("notes", "likes", "followers", "following"):
        assert f'href="/people/{alice.pk}/{end}/"' in page


@pytest.mark.parametrize("path", ["/notes/{note}/", "/notes/{note}/edit/", "/me/notes/", *PAGES[1:]])
def test_pages_are_there_while_redis_is_away(
    alice: User, path: str, redis_away_now: Callable[[], None]
) -> None:
    note, me = makers.note(alice), authors.browser_client(alice)
    redis_away_now()
    address = path.format(note=note.pk, shop=note.shop_id, user=alice.pk)
    answer = me.get(address)
    assert answer.status_code == 200
    assert note.title in text(answer)
