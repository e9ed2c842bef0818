"""The JSON API: saves, lists, and the part of the personal answer."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves import lists, saves
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from apps.web import paging
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api(alice: User) -> Client:
    return buyers.api_client(alice)


def send(client: Client, method: str, path: str, body: Any = None) -> Any:
    """The answer's JSON, or its status and code when it is a problem."""
    answer = (
        client.generic(method, path, data=body, content_type="application/json")
        if body is None
        else (getattr(client, method.lower())(path, body, content_type="application/json"))
    )
    if answer.status_code == 204:
        return None
    found = answer.json()
    return (answer.status_code, found["code"]) if answer.status_code >= 400 else found


def test_saving_counts_and_its_removal_can_be_undone(api: Client, shop: Shop, note: Note) -> None:
    for path in (f"/api/shops/{shop.pk}/save", f"/api/notes/{note.pk}/save"):
        for _ in range(2):
            assert send(api, "PUT", path) == {"saved": True, "count": 1}
        removed = send(api, "DELETE", path)
        assert (removed["saved"], removed["count"]) == (False, 0)
        assert send(api, "DELETE", path)["undo"] == ""
        send(api, "POST", "/api/saves/undo", {"undo": removed["undo"]})
        assert send(api, "PUT", path)["count"] == 1
    assert send(api, "PUT", "/api/shops/999/save") == (404, "not_found")
    assert send(Client(), "PUT", f"/api/shops/{shop.pk}/save") == (401, "not_logged_in")
    assert send(api, "POST", "/api/saves/undo", {"undo": "x"}) == (422, "invalid")


def test_saved_things_are_listed_by_kind_with_a_cursor(
    api: Client, alice: User, note: Note, story: Subject
) -> None:
    for one in shops.shops(paging.PAGE_SIZE + 1):
        saves.save(alice.pk, Subject("shop", one.pk))
    saves.save(alice.pk, story)
    first = send(api, "GET", "/api/saves")
    second = send(api, "GET", f"/api/saves?cursor={first['next']}")
    assert [len(page["items"]) for page in (first, second)] == [paging.PAGE_SIZE, 1]
    assert first["items"][0]["shop"]["name"] == f"Shop {paging.PAGE_SIZE}"
    (item,) = send(api, "GET", "/api/saves?kind=notes")["items"]
    assert (item["note"]["id"], set(item)) == (note.pk, {"saved_at", "note"})
    assert send(api, "GET", "/api/saves?cursor=x") == (422, "bad_cursor")
    assert send(api, "GET", "/api/saves?kind=people") == (422, "invalid")
    assert send(Client(), "GET", "/api/saves") == (401, "not_logged_in")


@pytest.mark.both_databases
def test_a_list_from_its_making_to_its_end(api: Client, shop: Shop, note: Note) -> None:
    made = send(api, "POST", "/api/lists", {"name": "Trip", "public": True})
    path = f"/api/lists/{made['id']}"
    assert send(api, "POST", "/api/lists", {"name": "Trip"}) == (409, "name_taken")
    assert send(api, "PUT", f"{path}/shops/{shop.pk}") == {"in_list": True}
    assert send(api, "PUT", f"{path}/notes/{note.pk}") == {"in_list": True}
    assert [(one["shops"], one["notes"]) for one in send(api, "GET", "/api/lists")["items"]] == [(1, 1)]
    taken = send(api, "DELETE", f"{path}/shops/{shop.pk}")
    assert send(api, "GET", path)["shops"] == 0
    send(api, "POST", "/api/saves/undo", {"undo": taken["undo"]})
    assert send(api, "DELETE", f"{path}/notes/{note.pk}")["in_list"] is False
    changed = send(api, "PATCH", path, {"description": "May"})
    assert (changed["name"], changed["description"], changed["public"], changed["shops"]) == (
        "Trip", "May", True, 1,
    )  # fmt: skip
    assert send(api, "DELETE", path) is None
    assert send(api, "GET", path) == (404, "not_found")
    assert len(send(api, "GET", "/api/saves")["items"]) == 1, "what was in it stays saved"


def test_lists_of_others_are_read_while_public(
    api: Client, alice: User, bob: User, shop: Shop, place: Subject
) -> None:
    trip = lists.create(bob.pk, name="Trip", is_public=True)
    lists.put(trip, place)
    for client in (api, Client()):
        (found,) = send(client, "GET", f"/api/users/{bob.pk}/lists")["items"]
        assert (found["name"], found["owner"]["id"]) == ("Trip", bob.pk)
        (item,) = send(client, "GET", f"/api/saves?list={trip.pk}")["items"]
        assert item["shop"]["id"] == shop.pk
    assert send(api, "PATCH", f"/api/lists/{trip.pk}", {"name": "Mine"}) == (404, "not_found")
    lists.change(trip, is_public=False)
    assert send(api, "GET", f"/api/saves?list={trip.pk}") == (404, "not_found")
    assert send(api, "GET", f"/api/users/{bob.pk}/lists") == {"items": [], "next": None}


@pytest.mark.parametrize("away", [False, True])
def test_a_page_hears_which_of_its_things_are_saved(
    alice: User, place: Subject, story: Subject, away: bool, request: pytest.FixtureRequest
) -> None:
    browser = buyers.browser_client(alice)
    query = {"saved_shops": f"{place.pk},999", "saved_notes": str(story.pk)}

    def heard(client: Client) -> tuple[list[int], list[int]]:
        answer = client.get("/api/me/page", query).json()
        return answer["saved_shops"], answer["saved_notes"]

    assert heard(browser) == ([], [])
    if away:
        request.getfixturevalue("redis_away_now")()
    saves.save(alice.pk, place)
    assert heard(browser) == ([place.pk], [])
    saves.save(alice.pk, story)
    saves.remove(alice.pk, place)
    assert heard(browser) == ([], [story.pk])
    assert heard(Client()) == ([], [])
