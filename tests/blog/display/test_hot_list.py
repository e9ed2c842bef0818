"""Heat, the hot list, and the cards that every list of notes shows."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.blog import heat, likes
from apps.blog.display import note_lists, note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note
from apps.web import paging
from tests.blog import makers
from tests.coupons import buyers
from tests.factories import CityFactory

pytestmark = pytest.mark.django_db


def titles(notes: Iterable[Note | NoteRow]) -> list[str]:
    return [note.title for note in notes]


def hot_note(author: User, title: str, *, hours_ago: float = 0, likes: int = 0) -> Note:
    """A note as old and as liked as that."""
    return makers.note(author, title=title, likes=likes, at=timezone.now() - timedelta(hours=hours_ago))


def test_a_doubling_of_likes_is_worth_twelve_hours() -> None:
    now = timezone.now()
    assert heat.score(1, now - timedelta(hours=12)) == pytest.approx(heat.score(0, now))
    assert heat.score(7, now - timedelta(hours=24)) == pytest.approx(heat.score(1, now))
    assert heat.score(-1, now) == heat.score(0, now)
    assert heat.score(5, None) == 0


def test_recent_and_liked_ones_come_first(alice: User) -> None:
    hot_note(alice, "old and loved", hours_ago=49, likes=31)
    hot_note(alice, "new", hours_ago=1)
    hot_note(alice, "old", hours_ago=48)
    hot_note(alice, "liked", hours_ago=20, likes=3)
    hot_note(alice, "draft", likes=500)
    Note.objects.filter(title="draft").update(status=Note.Status.DRAFT)
    assert titles(note_lists.list_page().items) == ["old and loved", "liked", "new", "old"]
    assert titles(note_lists.list_page("new").items) == ["new", "liked", "old", "old and loved"]
    assert titles(note_lists.top_cards(2)) == ["old and loved", "liked"]


def test_a_reader_gets_the_notes_first_that_they_can_read(alice: User, client: Client) -> None:
    for hours in range(6):
        hot_note(alice, "晚饭" if hours % 3 == 2 else f"dinner {hours}", hours_ago=hours)
    with translation.override("zh-hans"):
        assert titles(note_lists.top_cards(2)) == ["晚饭", "晚饭"]
        assert titles(note_lists.top_cards(1)) == ["晚饭"]
        assert titles(note_lists.top_cards(4)) == ["晚饭", "晚饭", "dinner 0", "dinner 1"]
    assert titles(note_lists.top_cards(5)) == ["dinner 0", "dinner 1", "dinner 3", "dinner 4", "晚饭"]
    path = Note.objects.all()[0].shop.get_absolute_url()
    for language, first, last in (("zh-hans", "晚饭", "dinner 0"), ("en", "dinner 0", "晚饭")):
        page = client.get(path, headers={"Accept-Language": language}).content.decode()
        page = page.partition('id="notes-title"')[2]
        assert 0 < page.index(first) < page.index(last)
        for tab in note_lists.TABS:
            page = client.get(f"/notes/?tab={tab}", headers={"Accept-Language": language}).content.decode()
            assert 0 < page.index(first) < page.index(last)


@pytest.mark.both_databases
@pytest.mark.parametrize("tab", list(note_lists.TABS))
def test_pages_neither_repeat_nor_skip_at_equal_heat(alice: User, tab: str) -> None:
    at = timezone.now()
    made = [makers.note(alice, at=at) for _ in range(45)]
    seen, cursor = list[int](), None
    for _ in range(3):
        page = note_lists.list_page(tab, cursor=cursor)
        seen, cursor = seen + [note.pk for note in page.items], page.next
    assert seen == [note.pk for note in reversed(made)]
    assert cursor is None


def test_a_like_warms_a_note(alice: User, bob: User) -> None:
    hot_note(alice, "older", hours_ago=3)
    older = Note.objects.get()
    hot_note(alice, "newer", hours_ago=1)
    likes.like(older.pk, bob.pk)
    assert titles(note_lists.top_cards(2)) == ["older", "newer"]
    likes.unlike(older.pk, bob.pk)
    assert titles(note_lists.top_cards(2)) == ["newer", "older"]


@pytest.mark.both_databases
def test_the_list_is_read_along_its_index(alice: User) -> None:
    """No sorting of all notes, however many there are."""
    makers.note(alice)
    for order, index in (("-heat", "blog_hot"), ("-published_at", "blog_newest")):
        plan = Note.objects.published().order_by(order, "-id")[:20].explain()
        if connection.vendor == "sqlite":
            assert index in plan
            assert "TEMP B-TREE" not in plan


@pytest.mark.both_databases
@pytest.mark.parametrize("tab", list(note_lists.TABS))
def test_a_citys_notes_are_read_along_the_index_too(
    alice: User, monkeypatch: pytest.MonkeyPatch, tab: str
) -> None:
    """Where enough of the first notes are about the city; else its few notes are found by its shops."""
    monkeypatch.setattr(paging, "WALKED_ROWS", 5)
    monkeypatch.setattr(paging, "PAGE_SIZE", 2)
    many, few = CityFactory.create(), CityFactory.create(shanghai=True)
    there = makers.shop("Bund Grill", lat=few.lat, lng=few.lng)
    at, notes = timezone.now(), dict[int, list[int]]({many.pk: [], few.pk: []})
    for hours in range(12):
        city, shop = (few, there) if hours in {2, 8, 9} else (many, makers.shop())
        note = makers.note(alice, at=at - timedelta(hours=hours), shop=shop)
        notes[city.pk].append(note.pk)
    for city, queries in ((many, 1), (few, 2)):
        seen, cursor = list[int](), None
        with CaptureQueriesContext(connection) as sent:
            page = note_lists.list_page_of(city, tab, cursor=None)
        assert len(sent) == queries
        while True:
            seen, cursor = seen + [note.pk for note in page.items], page.next
            if cursor is None:
                break
            page = note_lists.list_page_of(city, tab, cursor=cursor)
        assert seen == notes[city.pk]
        assert [card.pk for card in note_lists.top_cards(1, city)] == notes[city.pk][:1]


@pytest.mark.parametrize(
    ("size", "shape"),
    [((900, 1200), "tall"), ((1200, 900), "wide"), ((1000, 1000), "square"), ((1, 1), "square")],
)
def test_the_shape_of_a_card(size: tuple[int, int], shape: str) -> None:
    assert note_rows.cover_shape(*size) == shape


def test_a_row_shows_its_first_photo(alice: User, bob: User) -> None:
    note, bare = makers.note(alice, photos=3), makers.note(alice, photos=0)
    likes.like(note.pk, bob.pk)
    shown = note_rows.fetch([bare.pk, note.pk, 0])
    assert [(row.pk, row.likes) for row in shown] == [(bare.pk, 0), (note.pk, 1)]
    assert (shown[0].picture, shown[0].shape) == ("", "wide")
    assert shown[1].picture == note.photos.all()[0].card_url


def test_a_row_of_a_loaded_note_is_that_of_the_query(alice: User) -> None:
    for one in (makers.note(alice, photos=2), makers.note(alice, photos=0)):
        note = Note.objects.with_cards().get(pk=one.pk)
        assert note_rows.from_note(note, note.photos.first()) == note_rows.fetch([one.pk])[0]


@pytest.mark.parametrize(
    "path", ["/notes/", "/notes/?tab=new", "/api/notes/hot", "/people/{bob}/likes/", "/"]
)
def test_twenty_notes_cost_what_ten_cost(
    alice: User, bob: User, round_trips: list[object], path: str
) -> None:
    here = path.format(bob=bob.pk)
    visitor = (buyers.api_client if here.startswith("/api/") else buyers.browser_client)(bob)

    def cost() -> tuple[int, int]:
        visitor.get(here)
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            assert visitor.get(here).status_code == 200
        return len(captured), len(round_trips)

    def write(many: int) -> None:
        for _ in range(many):
            likes.like(makers.note(alice).pk, bob.pk)

    write(10)
    few = cost()
    write(10)
    assert cost() == few


@pytest.mark.parametrize("cursor", ["WzFd:1abc:def", "a" * 1_001])
@pytest.mark.parametrize("path", ["/notes/", "/notes/?tab=new", "/people/{bob}/likes/", "/api/notes/hot"])
def test_a_forged_cursor_is_refused(client: Client, bob: User, path: str, cursor: str) -> None:
    asked = {"cursor": cursor} | ({"tab": "new"} if "tab" in path else {})
    answer = client.get(path.format(bob=bob.pk).partition("?")[0], asked)
    assert answer.status_code in {400, 422}


def test_a_cursor_of_one_list_is_none_of_another(client: Client, alice: User) -> None:
    for _ in range(21):
        makers.note(alice)
    cursor = note_lists.list_page().next
    assert client.get("/notes/", {"cursor": str(cursor)}).status_code == 200
    assert client.get("/notes/", {"cursor": str(cursor), "tab": "new"}).status_code == 422


def test_show_more_is_rows_alone(client: Client, alice: User) -> None:
    for number in range(21):
        hot_note(alice, f"Note {number:02}", hours_ago=number)
    page = client.get("/notes/").content.decode()
    assert "Note 19" in page
    assert "Note 20" not in page
    cursor = str(note_lists.list_page().next)
    rows = client.get("/notes/", {"cursor": cursor}, headers={"HX-Request": "true"}).content.decode()
    assert "Note 20" in rows
    assert "<html" not in rows
    assert 'class="notes"' not in rows
    assert "That's all of them." in rows
    whole = client.get("/notes/", {"cursor": cursor}).content.decode()
    assert "Note 20" in whole
    assert "<html" in whole


def test_an_empty_list_invites(client: Client) -> None:
    assert "Nobody has written a note yet" in client.get("/notes/").content.decode()


def test_html_in_a_title_is_text(client: Client, alice: User) -> None:
    makers.note(alice, title="<script>alert(1)</script>")
    page = client.get("/notes/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
