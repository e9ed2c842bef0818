"""Notes in the JSON API."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.blog import likes, limits
from apps.blog.models import Note
from apps.blog.writing import notes
from tests.blog import authors, makers
from tests.blog.authors import call_json, note_body

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_note_is_written_and_read(alice: User, bob: User, client: Client) -> None:
    body = note_body(alice, title="Broth", text="<b>Good</b>", rating=5)
    status, made = call_json(authors.api_client(alice), "/api/notes", body)
    assert status == 201
    likes.like(made["id"], bob.pk)
    read = client.get(f"/api/notes/{made['id']}").json()
    assert (read["title"], read["text"], read["rating"]) == ("Broth", "<b>Good</b>", 5)
    assert (read["status"], read["likes"], read["liked"], read["comments"]) == ("published", 1, False, 0)
    assert [person["nickname"] for person in read["likers"]] == ["Bob"]
    assert (read["author"]["nickname"], read["shop"]["name"]) == ("Alice", makers.shop().name)
    assert [photo["id"] for photo in read["photos"]] == body["photo_ids"]
    assert {"url", "card_url", "width", "height"} <= read["photos"][0].keys()
    assert authors.api_client(bob).get(f"/api/notes/{made['id']}").json()["liked"] is True


def test_a_note_is_answered_as_written_while_somebody_asks_for_ids_that_no_note_has(
    alice: User, client: Client
) -> None:
    absent = {client.get(f"/api/notes/{number}").status_code for number in range(10_000, 10_030)}
    status, made = call_json(authors.api_client(alice), "/api/notes", note_body(alice))
    assert (absent, status, made.get("title")) == ({404}, 201, "Broth")


def test_a_draft_is_changed_published_deleted_and_restored(alice: User, client: Client) -> None:
    me = authors.api_client(alice)
    _, made = call_json(me, "/api/notes", {"shop_id": makers.shop().pk})
    path = f"/api/notes/{made['id']}"
    assert (made["status"], client.get(path).status_code) == ("draft", 404)
    assert call_json(me, path, {"publish": True}, "patch")[0] == 422
    status, changed = call_json(me, path, authors.complete_note(alice) | {"publish": True}, "patch")
    assert (status, changed["status"], client.get(path).status_code) == (200, "published", 200)
    assert [me.delete(path).status_code for _ in range(2)] == [204, 404]
    assert [client.get(path).status_code, me.get(path).status_code] == [404, 404]
    assert [call_json(me, f"{path}/restore", {})[0] for _ in range(2)] == [200, 404]
    assert client.get(path).status_code == 200


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"shop_id": 999_999}, 422, "shop_id"),
    ({"shop_id": 0}, 422, "shop_id"),
    ({"shop_id": 2**63}, 422, "shop_id"),
    ({"shop_id": "x"}, 422, "shop_id"),
    ({"shop_id": None}, 422, "shop_id"),
    ({"title": "x" * 81}, 422, "title"),
    ({"title": 7}, 422, "title"),
    ({"title": "two\nlines"}, 422, "title"),
    ({"text": "x" * 5_001}, 422, "text"),
    ({"text": None}, 422, "text"),
    ({"text": "\u202eturned"}, 422, "text"),
    ({"title": "", "text": " "}, 422, "text"),
    ({"rating": 0}, 422, "rating"),
    ({"rating": 6}, 422, "rating"),
    ({"rating": 4.5}, 422, "rating"),
    ({"rating": True}, 422, "rating"),
    ({"rating": None}, 422, "rating"),
    ({"photo_ids": [999_999]}, 422, "photo_ids"),
    ({"photo_ids": list(range(1, 11))}, 422, "photo_ids"),
    ({"photo_ids": ["x"]}, 422, "photo_ids.0"),
    ({"photo_ids": "1"}, 422, "photo_ids"),
    ({"photo_ids": [2**64]}, 422, "photo_ids.0"),
    ({"publish": "perhaps"}, 422, "publish"),
    ({"text": "NUL \x00"}, 400, ""),
    ({"title": "half \ud800"}, 400, ""),
]


@pytest.mark.parametrize(("fields", "status", "field"), REFUSED)
def test_bad_input_is_named_and_nothing_is_written(
    alice: User, fields: dict[str, Any], status: int, field: str
) -> None:
    answered, problem = call_json(authors.api_client(alice), "/api/notes", note_body(alice) | fields)
    assert (answered, problem["code"]) == (status, "invalid")
    assert [error["field"] for error in problem.get("errors", [])] == ([field] if field else [])
    assert not Note.objects.exists()


@pytest.mark.parametrize("body", ["", "[]", "null", "{", '"text"', "NaN"])
def test_a_body_that_is_no_note_is_refused(alice: User, body: str) -> None:
    answer = authors.api_client(alice).post("/api/notes", body, content_type="application/json")
    assert answer.status_code in {400, 422}


def test_photos_of_others_and_of_other_notes_are_refused(alice: User, bob: User) -> None:
    taken = makers.note(alice).photos.get().pk
    for ids in ([authors.photo_row(bob).pk], [taken]):
        status, problem = call_json(authors.api_client(alice), "/api/notes", note_body(alice, photo_ids=ids))
        assert (status, problem["errors"][0]["field"]) == (422, "photo_ids")


def test_a_shop_that_left_the_site_takes_no_notes(alice: User) -> None:
    shop = makers.shop(is_listed=False)
    assert call_json(authors.api_client(alice), "/api/notes", {"shop_id": shop.pk})[0] == 422


@pytest.mark.parametrize(("method", "end"), [("patch", ""), ("delete", ""), ("post", "/restore")])
def test_others_notes_are_not_found(alice: User, bob: User, method: str, end: str) -> None:
    note = makers.note(alice)
    if end:
        notes.delete(note)
    assert call_json(authors.api_client(bob), f"/api/notes/{note.pk}{end}", {}, method)[0] == 404
    assert call_json(Client(), f"/api/notes/{note.pk}{end}", {}, method)[0] == 401


@pytest.mark.parametrize(
    ("note_id", "status"), [("0", 422), ("x", 422), (str(2**63), 422), ("-1", 422), ("999999", 404)]
)
def test_no_note_has_this_id(client: Client, db: None, note_id: str, status: int) -> None:
    assert client.get(f"/api/notes/{note_id}").status_code == status


def test_ten_notes_an_hour(alice: User) -> None:
    for _ in range(limits.NEW_NOTES.allowed):
        limits.charge(limits.NEW_NOTES, alice.pk)
    answer = authors.api_client(alice).post("/api/notes", note_body(alice), content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert int(answer["Retry-After"]) > 0
    assert not Note.objects.exists()


def pages(client: Client, path: str, **asked: str) -> list[int]:
    """The ids of every page of a list."""
    found, cursor = [], ""
    while True:
        page = client.get(path, asked | {"cursor": cursor}).json()
        found += [note["id"] for note in page["items"]]
        if page["next"] is None:
            return found
        cursor = page["next"]


def test_lists_of_shop_and_person_show_published_ones_newest_first(
    alice: User, bob: User, client: Client
) -> None:
    made = [makers.note(alice).pk for _ in range(25)]
    makers.note(alice, status="draft", published_at=None)
    notes.delete(makers.note(alice))
    elsewhere = makers.note(alice, shop=makers.shop("Elsewhere")).pk
    assert pages(client, f"/api/shops/{makers.shop().pk}/notes") == made[::-1]
    assert pages(client, f"/api/users/{alice.pk}/notes") == [elsewhere, *made[::-1]]
    assert pages(client, f"/api/users/{bob.pk}/notes") == []


def test_my_notes_by_status(alice: User, bob: User) -> None:
    published, draft = makers.note(alice), makers.note(alice, status="draft", published_at=None)
    makers.note(bob)
    me = authors.api_client(alice)
    assert pages(me, "/api/me/notes") == [published.pk]
    assert [note["status"] for note in me.get("/api/me/notes?status=draft").json()["items"]] == ["draft"]
    assert pages(me, "/api/me/notes", status="draft") == [draft.pk]
    assert me.get("/api/me/notes?status=deleted").status_code == 422


@pytest.mark.parametrize("path", ["/api/shops/{shop}/notes", "/api/users/{user}/notes", "/api/me/notes"])
def test_a_forged_cursor_is_400(alice: User, path: str) -> None:
    where = path.format(shop=makers.shop().pk, user=alice.pk)
    for cursor in ("x", "a:b:c", "x" * 1_000):
        answer = authors.api_client(alice).get(where, {"cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_cursor")


@pytest.mark.parametrize("path", ["/api/shops/999999/notes", "/api/users/999999/notes"])
def test_lists_of_nothing_are_404(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/api/shops/{shop}/notes", "/api/users/{user}/notes", "/api/me/notes"])
def test_twenty_notes_cost_what_ten_do(alice: User, bob: User, path: str, round_trips: list[object]) -> None:
    me, where = authors.api_client(bob), path.format(shop=makers.shop().pk, user=bob.pk)

    def cost(many: int) -> tuple[int, int]:
        for _ in range(many):
            likes.like(makers.note(bob, photos=3).pk, alice.pk)
        me.get(where)
        round_trips.clear()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert me.get(where).status_code == 200
        return len(queries), len(round_trips)

    assert cost(10) == cost(10)


def test_a_note_costs_the_same_whatever_it_has(alice: User, bob: User, round_trips: list[object]) -> None:
    me = authors.api_client(bob)

    def cost(photos: int, likers: list[User]) -> tuple[int, int]:
        note = makers.note(alice, photos=photos)
        for person in likers:
            likes.like(note.pk, person.pk)
        me.get(f"/api/notes/{note.pk}")
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            me.get(f"/api/notes/{note.pk}")
        return len(queries), len(round_trips)

    assert cost(1, [alice]) == cost(9, [alice, bob])
