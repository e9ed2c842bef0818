"""The JSON API of chats, from opening one to leaving it, and what it refuses."""

import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.chat.models import Chat

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    token = tokens.issue(user, kind=AccessToken.Kind.API)
    return Client(headers={"authorization": f"Bearer {token}"})


@pytest.mark.both_databases
def test_two_people_chat_by_the_api(alice: User, bob: User) -> None:
    hers, his = client_of(alice), client_of(bob)
    opened = hers.post("/api/chats", {"member_ids": [bob.pk]}, "application/json")
    assert (opened.status_code, opened.json()["title"], opened.json()["group"]) == (201, "Bob", False)
    path = f"/api/chats/{opened.json()['id']}"
    body = {"text": "Hello", "client_id": "a"}
    first, again = (hers.post(f"{path}/messages", body, "application/json") for _ in range(2))
    assert first.json() == again.json()
    assert first.json()["number"] == 1
    (pending,) = his.get("/api/chats/pending").json()["items"]
    assert [message["text"] for message in pending["messages"]] == ["Hello"]
    assert his.get("/api/chats").json()["items"][0]["unread"] == 1
    assert his.post(f"{path}/seen", {"number": 1}, "application/json").status_code == 204
    assert his.get("/api/chats/pending").json() == {"items": [], "next": None}
    assert his.get(f"{path}/messages").json()["items"][0]["author"]["nickname"] == "Alice"
    assert hers.delete(f"{path}/messages/1").status_code == 204
    assert his.get(f"{path}/messages").json()["items"][0]["deleted"]
    assert his.patch(path, {"muted": True}, "application/json").json()["muted"]
    assert his.delete(f"{path}/members").status_code == 204
    assert his.get(path).status_code == 404


@pytest.mark.both_databases
def test_a_group_by_the_api(alice: User, bob: User, charlie: User) -> None:
    hers = client_of(alice)
    made = hers.post("/api/chats", {"member_ids": [bob.pk], "name": "Dumplings"}, "application/json").json()
    path = f"/api/chats/{made['id']}"
    added = hers.post(f"{path}/members", {"ids": [charlie.pk]}, "application/json")
    assert [item["person"]["nickname"] for item in added.json()["items"]] == ["Charlie"]
    assert len(hers.get(f"{path}/members").json()["items"]) == 3
    assert hers.patch(path, {"name": "Noodles"}, "application/json").json()["title"] == "Noodles"
    assert [item["kind"] for item in hers.get(f"{path}/messages").json()["items"]] == [
        *("joined", "joined", "renamed")
    ]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("post", "/api/chats", {"member_ids": [], "name": "Nobody"}, 422, "invalid"),
        ("post", "/api/chats", {"member_ids": [2**62]}, 404, "not_found"),
        ("post", "/api/chats", {"member_ids": [2**63]}, 422, "invalid"),
        ("post", "/api/chats", {"member_ids": [1], "name": "a" * 61}, 422, "invalid"),
        ("get", "/api/chats?cursor=forged", None, 422, "bad_cursor"),
        ("get", "/api/chats/1/messages", None, 404, "not_found"),
        ("post", "/api/chats/1/messages", {"text": "x", "client_id": "a"}, 404, "not_found"),
        ("post", "/api/chats/1/messages", {"text": "a\x00", "client_id": "a"}, 400, "invalid"),
        ("post", "/api/chats/1/messages", {"text": "x" * 4001, "client_id": "a"}, 422, "invalid"),
        ("post", "/api/chats/1/seen", {"number": -1}, 422, "invalid"),
        ("delete", "/api/chats/1/messages/1", None, 404, "not_found"),
        ("get", "/api/live", None, 429, "too_many_requests"),
    ],
)
def test_refusals_have_codes(
    alice: User, method: str, path: str, body: object, status: int, code: str
) -> None:
    client = client_of(alice)
    kind = {"content_type": "application/json"} if body else {}
    answer = getattr(client, method)(path, *([body] if body else []), **kind)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_visitors_have_no_chats(chat_of_two: Chat) -> None:
    assert Client().get(f"/api/chats/{chat_of_two.pk}").status_code == 401
