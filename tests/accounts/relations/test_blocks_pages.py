"""Blocks on pages and through the JSON API."""

import html
import re

import pytest
from django.test import Client

from apps.accounts.models import Block, User
from apps.accounts.relations import blocks
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_api_blocks_lists_and_unblocks(alice: User, bob: User) -> None:
    mine = buyers.api_client(alice)
    for _ in range(2):
        assert mine.put(f"/api/users/{bob.pk}/block").json() == {"blocked": True}
    listed = mine.get("/api/me/blocks").json()
    assert [person["id"] for person in listed["items"]] == [bob.pk]
    assert buyers.api_client(bob).get("/api/me/blocks").json() == {"items": [], "next": None}
    for _ in range(2):
        assert mine.delete(f"/api/users/{bob.pk}/block").json() == {"blocked": False}
    assert not Block.objects.exists()


@pytest.mark.both_databases
def test_the_list_goes_on_by_cursor(alice: User, bob: User, charlie: User, manager: User) -> None:
    people = [bob, charlie, manager]
    for person in people:
        blocks.block(alice.pk, person.pk)
    mine = buyers.api_client(alice)
    first = mine.get("/api/me/blocks", {"size": 2}).json()
    second = mine.get("/api/me/blocks", {"cursor": first["next"]}).json()
    newest_first = [person["id"] for person in first["items"] + second["items"]]
    assert newest_first == [person.pk for person in reversed(people)]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("user", "code"), [("self", "own_account"), ("nobody", "not_found"), ("forged cursor", "bad_cursor")]
)
def test_bad_input_has_a_code(alice: User, user: str, code: str) -> None:
    mine = buyers.api_client(alice)
    if user == "forged cursor":
        refused = mine.get("/api/me/blocks", {"cursor": "x"})
    else:
        refused = mine.put(f"/api/users/{alice.pk if user == 'self' else 10**9}/block")
    assert refused.json()["code"] == code


def test_a_page_asks_before_it_blocks_and_the_list_ends_it(alice: User, bob: User) -> None:
    mine = buyers.browser_client(alice)
    assert f'href="/people/{bob.pk}/block/"' in mine.get(f"/people/{bob.pk}/").text
    question = mine.get(f"/people/{bob.pk}/block/")
    assert "Block Bob?" in question.text
    person_page = f"/people/{bob.pk}/"
    done = mine.post(f"/people/{bob.pk}/block/", {"blocked": "1", "next": person_page})
    assert (done.status_code, done["Location"]) == (302, person_page)
    assert blocks.has_blocked(alice.pk, bob.pk)
    assert "Unblock Bob?" in mine.get(f"/people/{bob.pk}/block/").text
    assert "Bob" in mine.get("/me/blocks/").text
    mine.post(f"/people/{bob.pk}/block/", {"blocked": "0", "next": "/me/blocks/"})
    assert "You blocked nobody" in mine.get("/me/blocks/").text


def test_a_block_and_its_end_are_undone_from_their_message(alice: User, bob: User) -> None:
    mine, page = buyers.browser_client(alice), f"/people/{bob.pk}/"
    done = mine.post(f"{page}block/", {"blocked": "1", "next": page}, follow=True)
    (undo,) = re.findall(r'class="toast__undo" method="post" action="([^"]+)"', done.text)
    undone = mine.post(html.unescape(undo))
    assert (undone["Location"], blocks.has_blocked(alice.pk, bob.pk)) == (page, False)
    (again,) = re.findall(r'class="toast__undo" method="post" action="([^"]+)"', mine.get(page).text)
    mine.post(html.unescape(again))
    assert blocks.has_blocked(alice.pk, bob.pk)


def test_a_visitor_logs_in_first(client: Client, bob: User) -> None:
    for path in (f"/people/{bob.pk}/block/", "/me/blocks/"):
        assert client.get(path)["Location"].startswith("/login/")
    assert client.put(f"/api/users/{bob.pk}/block").status_code == 401
