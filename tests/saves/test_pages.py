"""The pages: the button, the choice of lists, what one saved, lists and previews; also without scripts."""

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves import lists, saves
from apps.saves.models import ListEntry, Save, SaveList
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def me(alice: User) -> Client:
    return buyers.browser_client(alice)


def text_of(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status
    return response.content.decode()


def test_the_button_is_on_the_pages_of_shops_and_notes(
    shop: Shop, note: Note, bob: User, place: Subject
) -> None:
    saves.save(bob.pk, place)
    page = text_of(Client(), f"/shops/{shop.pk}/")
    assert f'data-save-shop="{shop.pk}"' in page
    assert re.search(r'class="nums">\s*1\s*<', page), "how many saved it"
    assert f'data-save-note="{note.pk}"' in text_of(Client(), f"/notes/{note.pk}/")


def test_cards_in_lists_keep_a_place_for_the_mark_of_a_saved_shop(shop: Shop) -> None:
    assert f'hidden data-saved-shop="{shop.pk}"' in text_of(Client(), "/")


def test_a_public_list_is_shared_and_a_private_one_is_not(me: Client, alice: User) -> None:
    public = lists.create(alice.pk, name="Noodles", description="", is_public=True)
    private = lists.create(alice.pk, name="Surprises", description="", is_public=False)
    assert f'data-share="/lists/{public.pk}/share/"' in text_of(Client(), f"/lists/{public.pk}/")
    sheet = Client().get(f"/lists/{public.pk}/share/", headers=HTMX).content.decode()
    assert f'value="http://testserver/lists/{public.pk}/"' in sheet
    assert "data-share" not in text_of(me, f"/lists/{private.pk}/")
    answers = [one.get(f"/lists/{private.pk}/share/", headers=HTMX).status_code for one in (Client(), me)]
    assert answers == [404, 302]


def test_without_scripts_the_button_turns_and_leads_back(me: Client, shop: Shop) -> None:
    path = f"/saves/shop/{shop.pk}/"
    answer = me.post(path, {"saved": "", "next": f"/shops/{shop.pk}/"})
    assert (answer.status_code, answer["Location"], Save.objects.count()) == (302, f"/shops/{shop.pk}/", 1)
    me.post(path, {"saved": "", "next": "/me/saves/"})
    assert not Save.objects.exists()
    page = text_of(me, "/me/saves/")
    undo = re.search(r'action="(/saves/undo/\?[^"]+)"', page)
    assert undo, "the message has a way back"
    back = me.post(undo[1].replace("&amp;", "&"))
    assert (back["Location"], Save.objects.count()) == ("/me/saves/", 1)


def test_htmx_gets_the_button_and_a_toast_with_undo(me: Client, shop: Shop) -> None:
    path = f"/saves/shop/{shop.pk}/"
    saved = me.post(path, {"saved": "1"}, headers=HTMX)
    assert 'aria-pressed="true"' in saved.content.decode()
    removed = me.post(path, {"saved": "0"}, headers=HTMX)
    assert 'aria-pressed="false"' in removed.content.decode()
    toast = json.loads(removed["HX-Trigger"])["toast"]
    back = me.post(toast["undo"], headers=HTMX)
    assert 'hx-swap-oob="true"' in back.content.decode()
    assert Save.objects.count() == 1


def test_a_row_that_was_removed_offers_to_undo(me: Client, alice: User, place: Subject) -> None:
    trip = lists.create(alice.pk, name="Trip")
    lists.put(trip, place)
    taken = me.post(f"/lists/{trip.pk}/shop/{place.pk}/", {"spot": "row"}, headers=HTMX).content.decode()
    assert not ListEntry.objects.exists()
    undo = re.search(r'hx-post="(/saves/undo/\?[^"]+)"', taken)
    assert undo
    row = {"spot": "row", "list": str(trip.pk)}
    back = me.post(undo[1].replace("&amp;", "&"), row, headers=HTMX).content.decode()
    assert f'action="/lists/{trip.pk}/shop/{place.pk}/"' in back
    assert ListEntry.objects.count() == 1


def test_a_visitor_is_led_to_the_log_in(shop: Shop) -> None:
    for answer in (
        Client().post(f"/saves/shop/{shop.pk}/", {"saved": "1"}),
        Client().get(f"/saves/shop/{shop.pk}/lists/"),
        Client().get("/me/saves/"),
        Client().get("/lists/new/"),
    ):
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/login/")


@pytest.mark.both_databases
def test_the_choice_of_lists_shows_what_is_chosen_and_keeps_a_refused_one(
    me: Client, alice: User, note: Note, story: Subject
) -> None:
    trip, other = (lists.create(alice.pk, name=name) for name in ("Trip", "Other"))
    lists.put(trip, story)
    path = f"/saves/note/{note.pk}/lists/"
    assert re.findall(r'value="(\d+)"\s+checked', text_of(me, path)) == [str(trip.pk)]
    refused = me.post(path, {"list": [other.pk], "name": "Trip", "next": "/notes/"})
    page = refused.content.decode()
    assert refused.status_code == 409
    assert re.findall(r'value="(\d+)"\s+checked', page) == [str(other.pk)]
    assert 'value="Trip"' in page
    assert 'role="alert"' in page
    done = me.post(path, {"list": [other.pk], "name": "Third", "next": "/notes/"})
    assert done["Location"] == "/notes/"
    assert {entry.list.name for entry in ListEntry.objects.select_related("list")} == {"Other", "Third"}
    assert me.get("/saves/voucher/1/lists/").status_code == 404


@pytest.mark.parametrize("tab", ["shops", "notes", "lists"])
def test_empty_tabs_lead_on(me: Client, tab: str) -> None:
    page = text_of(me, f"/me/saves/?kind={tab}")
    assert 'class="empty__ways"' in page


@pytest.mark.both_databases
def test_saved_things_stand_in_their_tabs(
    me: Client, alice: User, shop: Shop, note: Note, place: Subject, story: Subject
) -> None:
    lists.put(lists.create(alice.pk, name="Trip"), place)
    saves.save(alice.pk, story)
    assert shop.name in text_of(me, "/me/saves/")
    assert note.title in text_of(me, "/me/saves/?kind=notes")
    assert "Trip" in text_of(me, "/me/saves/?kind=lists")
    assert "/me/saves/" in text_of(me, "/me/")


@pytest.mark.both_databases
def test_a_list_is_made_changed_and_deleted(me: Client, alice: User) -> None:
    assert me.post("/lists/new/", {"name": " "}).status_code == 422
    made = me.post("/lists/new/", {"name": "Trip", "description": "May", "is_public": "on"})
    found = SaveList.objects.get()
    assert (made["Location"], found.is_public) == (f"/lists/{found.pk}/", True)
    refused = me.post("/lists/new/", {"name": "Trip", "description": "kept"})
    assert refused.status_code == 409
    assert "kept" in refused.content.decode()
    me.post(f"/lists/{found.pk}/edit/", {"name": "Tour", "description": ""})
    found.refresh_from_db()
    assert (found.name, found.description, found.is_public) == ("Tour", "", False)
    assert "Tour" in text_of(me, f"/lists/{found.pk}/delete/")
    assert me.post(f"/lists/{found.pk}/delete/")["Location"] == "/me/saves/?kind=lists"
    assert not SaveList.objects.exists()
    assert f'action="/lists/{found.pk}/restore/"' in me.get("/me/saves/?kind=lists").content.decode()
    assert me.post(f"/lists/{found.pk}/restore/")["Location"] == f"/lists/{found.pk}/"
    assert SaveList.objects.get().name == "Tour"
    assert me.post(f"/lists/{found.pk}/restore/").status_code == 404


@pytest.mark.both_databases
def test_a_public_list_is_everybody_s_to_read_and_to_share(
    alice: User, bob: User, shop: Shop, place: Subject
) -> None:
    trip = lists.create(alice.pk, name="Trip <1>", description="Three days", is_public=True)
    lists.put(trip, place)
    for client in (Client(), buyers.browser_client(bob)):
        page = text_of(client, f"/lists/{trip.pk}/")
        assert '<meta property="og:title" content="Trip &lt;1&gt;">' in page
        assert '<meta property="og:description" content="Three days">' in page
        assert shop.name in page
        assert "/edit/" not in page
        assert "save-toggle" not in page
    assert f'href="/lists/{trip.pk}/"' in text_of(Client(), f"/people/{alice.pk}/")
    lists.change(trip, is_public=False)
    text_of(Client(), f"/lists/{trip.pk}/", status=404)
    text_of(buyers.browser_client(bob), f"/lists/{trip.pk}/edit/", status=404)


def test_twenty_rows_cost_as_many_queries_as_ten(me: Client, alice: User, bob: User, note: Note) -> None:
    trip = lists.create(alice.pk, name="Trip")
    costs = []
    places = [Subject("shop", one.pk) for one in shops.shops(20)]
    for part in (places[:10], places[10:]):
        for number, subject in enumerate(part):
            lists.put(trip, subject)
            lists.create(alice.pk, name=f"{subject.pk} {number}")
        text_of(me, "/me/saves/")
        cost = []
        for path in ("/me/saves/", f"/lists/{trip.pk}/", "/me/saves/?kind=lists"):
            with CaptureQueriesContext(connection) as queries:
                text_of(me, path)
            cost.append(len(queries))
        costs.append(cost)
    assert costs[0] == costs[1]
