"""Likes through the API and through pages."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog import likes, limits
from apps.blog.models import Like, Note
from tests import markup
from tests.blog import makers
from tests.coupons import buyers
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def path(note: Note) -> str:
    return f"/api/notes/{note.pk}/like"


def test_put_and_delete_are_idempotent(alice: User, bob: User) -> None:
    note, api = makers.note(alice), buyers.api_client(bob)
    for _ in range(2):
        answer = api.put(path(note))
        assert (answer.status_code, answer.json()) == (200, {"liked": True, "likes": 1})
    for _ in range(2):
        answer = api.delete(path(note))
        assert (answer.status_code, answer.json()) == (200, {"liked": False, "likes": 0})


@pytest.mark.parametrize("verb", ["put", "delete"])
def test_who_may_not_like(client: Client, alice: User, bob: User, verb: str) -> None:
    draft, gone = (makers.note(alice, status=status) for status in (Note.Status.DRAFT, Note.Status.DELETED))
    for person, note_id, status in (
        (client, draft.pk, 401),
        (buyers.api_client(alice), draft.pk, 404),
        (buyers.api_client(bob), gone.pk, 404),
        (buyers.api_client(bob), 10_000, 404),
        (buyers.api_client(bob), 0, 422),
        (buyers.api_client(bob), 2**63, 422),
    ):
        answer = getattr(person, verb)(f"/api/notes/{note_id}/like")
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert not Like.objects.exists()


def test_a_script_that_likes_and_unlikes_is_told_to_wait(alice: User, bob: User) -> None:
    note, api = makers.note(alice), buyers.api_client(bob)
    answers = [api.put(path(note)) for _ in range(limits.LIKES.allowed + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {200}
    assert answers[-1].status_code == 429
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60
    # Somebody else is not concerned.
    assert buyers.api_client(alice).put(path(note)).status_code == 200


def test_likers_page_by_page(client: Client, alice: User) -> None:
    note = makers.note(alice)
    people = UserFactory.bulk_create(25)
    for person in people:
        likes.like(note.pk, person.pk)
    first = client.get(f"/api/notes/{note.pk}/likers").json()
    second = client.get(f"/api/notes/{note.pk}/likers", {"cursor": first["next"]}).json()
    names = [person["nickname"] for person in first["items"] + second["items"]]
    assert names == [person.nickname for person in people]
    assert set(first["items"][0]) == {"id", "nickname", "avatar"}
    assert second["next"] is None
    assert client.get(f"/api/notes/{note.pk}/likers", {"cursor": "x"}).status_code == 422
    assert client.get("/api/notes/10000/likers").status_code == 404


def test_the_hot_list_knows_who_asks(client: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    (mine,) = buyers.api_client(bob).get("/api/notes/hot").json()["items"]
    (theirs,) = client.get("/api/notes/hot").json()["items"]
    assert (mine["liked"], theirs["liked"], mine["likes"]) == (True, False, 1)
    assert mine["author"] == {"id": alice.pk, "nickname": "Alice", "avatar": None}
    assert mine["shop"]["name"] == note.shop.name
    assert (mine["title"], mine["rating"], mine["comments"]) == (note.title, 5, 0)
    assert mine["url"] == f"http://testserver{note.get_absolute_url()}"
    assert set(mine["photos"][0]) == {"url", "card_url", "width", "height"}
    stale = Client(headers={"authorization": "Bearer nobody"}).get("/api/notes/hot")
    assert stale.status_code == 401


def test_what_a_person_likes(client: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    assert [one["id"] for one in client.get(f"/api/users/{bob.pk}/likes").json()["items"]] == [note.pk]
    assert note.title in markup.compact(client.get(f"/people/{bob.pk}/likes/").content)
    assert "Nothing yet" in markup.compact(client.get(f"/people/{alice.pk}/likes/").content)
    assert client.get("/people/10000/likes/").status_code == 404
    assert client.get("/api/users/10000/likes").status_code == 404


def test_a_heart_without_scripts_goes_back_to_its_page(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    answer = browser.post(f"/notes/{note.pk}/like/", {"liked": "1", "next": f"/notes/#card-heart-{note.pk}"})
    assert (answer.status_code, answer["Location"]) == (302, f"/notes/#card-heart-{note.pk}")
    assert likes.count_likes(note.pk) == 1
    elsewhere = browser.post(f"/notes/{note.pk}/like/", {"liked": "0", "next": "//evil.example/"})
    assert elsewhere["Location"] == "/"
    assert likes.count_likes(note.pk) == 0


@pytest.mark.both_databases
def test_a_heart_on_a_card_is_drawn_again(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    sent = {"liked": "1", "spot": "hot"}
    drawn = markup.compact(browser.post(f"/notes/{note.pk}/like/", sent, headers=HTMX).content)
    assert f'id="hot-heart-{note.pk}"' in drawn
    assert 'aria-pressed="true"' in drawn
    assert "<section" not in drawn


def test_the_heart_of_the_page_shows_the_first_likers(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    people = UserFactory.bulk_create(6)
    for person in people:
        likes.like(note.pk, person.pk)
    note.refresh_from_db()
    drawn = browser.post(f"/notes/{note.pk}/like/", {"liked": "1", "spot": "note"}, headers=HTMX)
    text = markup.compact(drawn.content)
    assert [person.nickname in text for person in people] == [True] * 5 + [False]
    assert "and 6 others like this" in text


def test_a_visitor_is_led_to_the_log_in_and_back(client: Client, alice: User) -> None:
    note = makers.note(alice)
    here = {"Referer": "http://testserver/notes/?tab=new"}
    plain = client.post(f"/notes/{note.pk}/like/", {"liked": "1"}, headers=here)
    # What was pressed goes along: tests/accounts.
    way, then = plain["Location"].split("&then=")
    assert (plain.status_code, way, bool(then)) == (302, "/login/?next=%2Fnotes%2F%3Ftab%3Dnew", True)
    asked = client.post(f"/notes/{note.pk}/like/", {"liked": "1"}, headers=here | HTMX)
    assert asked["HX-Redirect"].startswith("/login/?next=")


def test_a_heart_pressed_too_often_says_so_and_stays(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    for _ in range(limits.LIKES.allowed):
        limits.charge(limits.LIKES, bob.pk)
    sent = {"liked": "1", "spot": "card"}
    answer = browser.post(f"/notes/{note.pk}/like/", sent, headers=HTMX)
    assert answer.status_code == 429
    assert 'aria-pressed="false"' in markup.compact(answer.content)
    assert "too often" in answer["HX-Trigger"]
    assert browser.post(f"/notes/{note.pk}/like/", sent).status_code == 429
    assert browser.post("/notes/10000/like/", sent, headers=HTMX).status_code == 404


@pytest.mark.parametrize("spot", ["", "x" * 5_000, '"><script>alert(1)</script>', "\x01"])
def test_a_forged_spot_is_text(alice: User, bob: User, spot: str) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    answer = browser.post(f"/notes/{note.pk}/like/", {"liked": "1", "spot": spot}, headers=HTMX)
    assert answer.status_code == 200
    assert "<script>" not in markup.compact(answer.content)


def test_a_note_that_went_away_is_not_found(alice: User, bob: User) -> None:
    note, browser = makers.note(alice, status=Note.Status.DELETED), buyers.browser_client(bob)
    for headers in ({}, HTMX):
        assert browser.post(f"/notes/{note.pk}/like/", {"liked": "1"}, headers=headers).status_code == 404
    assert browser.get(f"/notes/{note.pk}/like/").status_code == 405


@pytest.mark.both_databases
def test_everything_goes_on_without_redis(alice: User, bob: User, redis_away: None) -> None:
    note = makers.note(alice)
    api = Client(headers={"authorization": f"Bearer {buyers.issue_token_without_copy(bob)}"})
    assert api.put(path(note)).json() == {"liked": True, "likes": 1}
    assert api.get("/api/notes/hot").json()["items"][0]["liked"] is True
    assert api.delete(path(note)).json() == {"liked": False, "likes": 0}
    assert Client().get("/notes/").status_code == 200


def test_a_heart_drawn_anew_leads_back_to_its_page(alice: User, bob: User) -> None:
    note = makers.note(alice)
    there = HTMX | {"HX-Current-URL": "http://testserver/notes/hot/?page=2"}
    drawn = buyers.browser_client(bob).post(
        f"/notes/{note.pk}/like/", {"liked": "1", "spot": "hot"}, headers=there
    )
    assert f'name="next" value="/notes/hot/?page=2#hot-heart-{note.pk}"' in markup.compact(drawn.content)
