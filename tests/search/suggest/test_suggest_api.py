from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.accounts.relations import contacts
from apps.accounts.sessions import tokens
from apps.redis_kit import limiter
from apps.search import limits
from apps.search.suggest import finding, indexing
from apps.search.words import recent_searches
from tests.search.words import makers

pytestmark = pytest.mark.django_db


def suggest(client: Client, **params: Any) -> Any:
    return client.get("/api/suggest", params)


def test_a_visitor_gets_typed_suggestions(client: Client, alice: User) -> None:
    indexing.rebuild(lambda _done, _total: None)
    answer = suggest(client, q="Ali")
    person = {"kind": "people", "id": alice.pk, "name": "Alice", "detail": "Shanghai"}
    person["url"] = f"http://testserver/people/{alice.pk}/"
    assert answer.json() == {"items": [person], "next": None}
    assert answer["Cache-Control"] == "private, no-store"


def test_contacts_need_a_log_in(client: Client, alice: User, bob: User) -> None:
    refusal = suggest(client, q="", kind="contacts")
    assert (refusal.status_code, refusal.json()["code"]) == (401, "not_logged_in")
    contacts.touch(alice.pk, bob.pk)
    answer = client.get(
        "/api/suggest?q=&kind=contacts",
        headers={"Authorization": f"Bearer {tokens.issue(alice, kind='api')}"},
    )
    assert [item["id"] for item in answer.json()["items"]] == [bob.pk]


@pytest.mark.parametrize(
    "params",
    [{}, {"q": "x" * 81}, {"q": "x", "kind": "sales"}, {"q": "x", "limit": 0}, {"q": "x", "limit": 2**64}],
)
def test_bad_input_is_refused(client: Client, params: dict[str, Any]) -> None:
    assert suggest(client, **params).status_code == 422


@pytest.mark.both_databases
def test_a_script_that_asks_on_and_on_is_told_to_wait(client: Client, alice: User) -> None:
    token = {"Authorization": f"Bearer {tokens.issue(alice, kind='api')}"}
    for _ in range(limits.SUGGESTIONS_OF_PERSON.allowed):
        limiter.hit([(limits.SUGGESTIONS_OF_PERSON, str(alice.pk))])
    refusal = client.get("/api/suggest?q=a", headers=token)
    assert (refusal.status_code, refusal.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(refusal["Retry-After"]) <= 10
    assert suggest(client, q="a").status_code == 200


@pytest.mark.parametrize("kind", ["", "shops", "people", "words"])
def test_any_text_is_answered(client: Client, kind: str) -> None:
    indexing.rebuild(lambda _done, _total: None)
    for typed in ("{", "\ufffd", "🍜", "%", "'", "\x01", "\x02", "\u202e", " " * 80, "的" * 80):
        assert suggest(client, q=typed, kind=kind).json() == {"items": [], "next": None}, typed
    assert suggest(client, q="a\0b", kind=kind).status_code == 400


def test_a_field_shows_last_and_trending_searches_before_anything_is_typed(client: Client) -> None:
    makers.searched("hot pot", people=5)
    for text in ("tea", "hot pot"):
        recent_searches.remember("u7", text)
    found = [(line.name, line.detail) for line in finding.list_first("u7", 8)]
    assert found == [("hot pot", "searched before"), ("tea", "searched before")]
    answer = suggest(client, q="").json()["items"]
    assert answer == [{"kind": "words", "id": None, "name": "hot pot", "detail": "trending", "url": ""}]
    assert suggest(client, q="", kind="shops").json()["items"] == []


@pytest.mark.usefixtures("redis_away")
def test_without_redis_a_field_shows_nothing_before_anything_is_typed(client: Client) -> None:
    assert suggest(client, q="").json()["items"] == []
