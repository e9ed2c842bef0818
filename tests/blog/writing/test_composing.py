"""The composer, as a browser without scripts uses it."""

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils.html import escape
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog import limits
from apps.blog.models import Note, Photo
from apps.blog.writing import notes
from tests.blog import authors, makers
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)
HARM = "<script>alert(1)</script>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def form(**fields: Any) -> dict[str, Any]:
    """What the composer posts to publish a whole note."""
    return {"title": "Broth", "text": "Good.", "rating": "4", "publish": "1"} | fields


def compose(browser: Client, **fields: Any) -> HttpResponse:
    answer: Any = browser.post(f"/notes/new/?shop={makers.shop().pk}", form(**fields))
    return answer  # type: ignore[no-any-return]


@pytest.mark.both_databases
def test_a_note_with_files_is_published(alice: User) -> None:
    me = authors.browser_client(alice)
    answer = compose(me, files=[authors.upload_file(), authors.upload_file(make_picture("PNG"), "b.png")])
    note = Note.objects.published().get()
    assert (answer.status_code, answer["Location"]) == (302, note.get_absolute_url())
    assert note.photos.count() == 2
    assert "Your note is published." in text(me.get(note.get_absolute_url()))


def test_a_note_with_photos_sent_before_keeps_their_order(alice: User) -> None:
    ids = [authors.photo_row(alice).pk for _ in range(3)][::-1]
    compose(authors.browser_client(alice), photos=ids)
    assert [photo.pk for photo in Note.objects.get().photos.all()] == ids


@pytest.mark.both_databases
def test_a_draft_needs_nothing_and_is_private(alice: User, bob: User) -> None:
    answer = authors.browser_client(alice).post(f"/notes/new/?shop={makers.shop().pk}", {})
    note = Note.objects.get()
    assert (answer.status_code, note.status) == (302, "draft")
    page = text(authors.browser_client(alice).get(note.get_absolute_url()))
    assert "This is a draft: only you see it." in page
    assert 'id="comments"' not in page
    for other in (authors.browser_client(bob), Client()):
        assert other.get(note.get_absolute_url()).status_code == 404


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"rating": ""}, "Give one to five stars."),
    ({"rating": "6"}, "Select a valid choice"),
    ({"rating": "x"}, "Select a valid choice"),
    ({"title": "", "text": " "}, "Write a title or a few words."),
    ({"photos": ["999999"]}, "One of these photos is not there, or in another note."),
    ({"taste": "6"}, "Select a valid choice"),
    ({"dishes": "a, b, c, d, e, f"}, "A note recommends at most 5 dishes."),
    ({"dishes": "x" * 31}, "Ensure this value has at most 30 characters"),
    ({"title": "NUL \x00"}, "Null characters are not allowed."),
    ({"text": "NUL \x00"}, "Null characters are not allowed."),
    ({"text": "bell \x07"}, "Some of these characters can't be shown."),
    ({"title": "x" * 81}, "Ensure this value has at most 80 characters"),
    ({"text": "x" * 5_001}, "Ensure this value has at most 5000 characters"),
]


@pytest.mark.parametrize(("fields", "sentence"), WRONG)
def test_the_composer_says_what_is_wrong_and_keeps_the_rest(
    alice: User, fields: dict[str, Any], sentence: str
) -> None:
    photo = authors.photo_row(alice)
    answer = compose(authors.browser_client(alice), **({"photos": [photo.pk], "text": "Our words."} | fields))
    page = text(answer)
    assert answer.status_code == 422
    assert escape(sentence) in page
    assert "autofocus" in page, "it opens where something is to be mended"
    assert not Note.objects.exists()
    assert ("photos" in fields) or (f'value="{photo.pk}" checked' in page)
    assert ("text" in fields) or ("Our words." in page)


def test_files_that_are_no_pictures_are_named_and_the_others_kept(alice: User) -> None:
    files = [authors.upload_file(), authors.upload_file(b"text", f"{HARM}.jpg")]
    page = text(compose(authors.browser_client(alice), files=files))
    assert "script&gt;.jpg: This is no picture we can read" in page
    assert HARM not in page
    assert f'value="{Photo.objects.get().pk}" checked' in page


def test_ten_files_are_refused_before_any_is_read(alice: User) -> None:
    page = text(compose(authors.browser_client(alice), files=[authors.upload_file() for _ in range(10)]))
    assert "A note has at most 9 photos." in page
    assert not Photo.objects.exists()


def test_too_much_at_once_is_refused_with_a_sentence(alice: User, settings: Settings) -> None:
    settings.MAX_BODY_BYTES = 1_000
    answer = compose(
        authors.browser_client(alice), files=[authors.upload_file(make_picture(size=(900, 900)))]
    )
    assert answer.status_code == 413
    assert "choose fewer or smaller ones" in text(answer)


@pytest.mark.both_databases
def test_the_eleventh_note_of_an_hour_is_refused_and_its_words_kept(alice: User) -> None:
    for _ in range(limits.NEW_NOTES.allowed):
        limits.charge(limits.NEW_NOTES, alice.pk)
    answer = compose(authors.browser_client(alice), photos=[authors.photo_row(alice).pk], text="Our words.")
    assert (answer.status_code, int(answer["Retry-After"]) > 0) == (429, True)
    assert "You have done this too often." in text(answer)
    assert "Our words." in text(answer)


@pytest.mark.both_databases
def test_editing_shows_and_changes_the_note(alice: User) -> None:
    note, me = makers.note(alice, photos=2), authors.browser_client(alice)
    path = f"/notes/{note.pk}/edit/"
    page = text(me.get(path))
    assert re.search(r'value="5"[^>]* checked', page)
    assert page.count("checked") == 6  # those of the three scores say that there is none
    first = note.photos.all()[0]
    assert me.post(path, form(title="Better", photos=[first.pk])).status_code == 302
    note.refresh_from_db()
    assert (note.title, note.rating, list(note.photos.all())) == ("Better", 4, [first])


def test_a_draft_is_published_from_its_page_or_the_composer_says_what_it_lacks(alice: User) -> None:
    me = authors.browser_client(alice)
    bare = notes.create(alice, makers.shop())
    answer = me.post(f"/notes/{bare.pk}/publish/", follow=True)
    assert answer.redirect_chain == [(f"/notes/{bare.pk}/edit/", 302)]
    assert "Write a title or a few words." in text(answer)
    whole = notes.create(alice, makers.shop(), **authors.complete_note(alice))
    assert "Your note is published." in text(me.post(f"/notes/{whole.pk}/publish/", follow=True))
    assert list(Note.objects.published()) == [whole]


def test_the_composer_asks_for_a_log_in_and_comes_back(client: Client, db: None) -> None:
    shop = makers.shop()
    answer = client.get(f"/notes/new/?shop={shop.pk}")
    assert answer["Location"] == f"/login/?next=/notes/new/%3Fshop%3D{shop.pk}"


def test_without_a_shop_one_is_chosen(alice: User) -> None:
    me = authors.browser_client(alice)
    near = makers.shop(lat=30.2565, lng=120.166)
    far = makers.shop("Lake of Pearls", lat=31.2, lng=121.4)
    hidden = makers.shop("Lakeless", is_listed=False)
    page = text(me.get("/notes/new/"))
    assert near.name in page
    assert far.name not in page
    found = text(me.get("/notes/new/?q=lAkE"))
    assert near.name in found
    assert far.name in found
    assert hidden.name not in found
    assert "No shop is found" in text(me.get("/notes/new/", {"q": "%_" + "x" * 200}))


@pytest.mark.parametrize("shop", ["x", "0", "999999", str(2**63), "", "1e3", "１"])
def test_no_shop_is_there_to_write_about(alice: User, shop: str) -> None:
    for method in ("get", "post"):
        path = f"/notes/new/?shop={shop}"
        assert getattr(authors.browser_client(alice), method)(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({}, 422, "invalid"), ({"photo": "text"}, 422, "invalid"), ({"photo": b"text"}, 422, "bad_picture")],
)
def test_the_composers_script_hears_why(alice: User, body: dict[str, Any], status: int, code: str) -> None:
    sent = {
        name: authors.upload_file(value) if isinstance(value, bytes) else value
        for name, value in body.items()
    }
    answer = authors.browser_client(alice).post("/notes/photos/", sent)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_composers_script_sends_a_photo(alice: User, client: Client) -> None:
    answer = authors.browser_client(alice).post("/notes/photos/", {"photo": authors.upload_file()})
    photo = Photo.objects.get()
    assert (answer.status_code, answer.json()) == (201, {"id": photo.pk, "card_url": photo.card_url})
    assert client.post("/notes/photos/", {"photo": authors.upload_file()}).status_code == 401
