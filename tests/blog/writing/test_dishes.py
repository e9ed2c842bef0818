"""Dishes that notes recommend, and how many notes name each."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from apps.accounts.models import User
from apps.blog.models import Dish, Note
from apps.blog.writing import dishes, notes
from apps.shops.models import Shop
from tests import markup
from tests.blog import authors, makers
from tests.differences import find_differences

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(db: None) -> Shop:
    return makers.shop()


def publish(author: User, shop: Shop, *names: str) -> Note:
    content = authors.complete_note(author, dishes=list(names))
    return notes.create(author, shop, publish=True, **content)


def recommended(shop: Shop) -> list[tuple[str, int]]:
    return [(dish.name, dish.recommended) for dish in dishes.most_recommended(shop.pk)]


@pytest.mark.both_databases
def test_spellings_of_a_dish_are_one_and_published_notes_count(shop: Shop, alice: User, bob: User) -> None:
    first = publish(alice, shop, "Beef noodles", "Tea", "  beef   NOODLES ")
    publish(bob, shop, "ＢＥＥＦ noodles")
    assert recommended(shop) == [("Beef noodles", 2), ("Tea", 1)]
    notes.save(first, dishes=["Tea"])
    assert recommended(shop) == [("Beef noodles", 1), ("Tea", 1)]
    notes.hide(first)
    assert recommended(shop) == [("Beef noodles", 1)]
    notes.restore(first)
    assert recommended(shop) == [("Beef noodles", 1), ("Tea", 1)]


def test_a_draft_counts_once_it_is_published(shop: Shop, alice: User) -> None:
    draft = notes.create(alice, shop, **authors.complete_note(alice, dishes=["Tea"]))
    assert recommended(shop) == []
    notes.publish(draft)
    assert recommended(shop) == [("Tea", 1)]


@pytest.mark.parametrize("names", [list("abcdef"), ["x" * 31], ["bell \x07"]])
def test_bad_dishes_are_refused(shop: Shop, alice: User, names: list[str]) -> None:
    with pytest.raises(ValidationError) as wrong:
        publish(alice, shop, *names)
    assert list(wrong.value.message_dict) == ["dishes"]
    assert not Note.objects.exists()


def test_only_types_with_dishes_take_them(alice: User) -> None:
    gym = makers.shop("Gym", type="fitness")
    with pytest.raises(ValidationError, match="name no dishes"):
        publish(alice, gym, "Protein shake")
    form = markup.compact(authors.browser_client(alice).get(f"/notes/new/?shop={gym.pk}").content)
    assert 'name="dishes"' not in form
    assert "Quality" in form


@pytest.mark.both_databases
def test_a_wrong_number_is_found_and_repaired(shop: Shop, alice: User) -> None:
    publish(alice, shop, "Tea")
    Dish.objects.update(recommended=9)
    (wrong,) = find_differences("blog.dishes", fix=True)
    assert (wrong.owner, wrong.actual, wrong.expected) == (f"dish {Dish.objects.get().pk}", "9", "1")
    assert find_differences("blog.dishes") == []


@pytest.mark.both_databases
def test_the_composer_takes_scores_and_dishes(shop: Shop, alice: User) -> None:
    publish(alice, shop, "Beef noodles")
    me = authors.browser_client(alice)
    path = f"/notes/new/?shop={shop.pk}"
    assert ">Beef noodles</button>" in markup.compact(me.get(path).content)
    sent = {"rating": "5", "text": "Good", "taste": "4", "dishes": "Tea，Beef noodles", "publish": "1"}
    assert me.post(path, sent).status_code == 302
    note = Note.objects.latest("pk")
    assert (note.taste, note.room, note.photos.count()) == (4, None, 0)
    assert recommended(shop) == [("Beef noodles", 2), ("Tea", 1)]
    edit = markup.compact(me.get(f"/notes/{note.pk}/edit/").content)
    assert 'value="Beef noodles, Tea"' in edit


def test_the_composer_offers_a_dish_in_the_reader_s_language(shop: Shop, alice: User) -> None:
    publish(alice, shop, "Beef noodles 牛肉面")
    me = authors.browser_client(alice)
    for language, name in (("zh-hans", "牛肉面"), ("en", "Beef noodles")):
        page = me.get(f"/notes/new/?shop={shop.pk}", headers={"Accept-Language": language}).content
        assert re.search(rf'value="Beef noodles 牛肉面"[^>]*>\s*{name}\s*</button>', page.decode())


@pytest.mark.both_databases
def test_a_dish_leads_to_the_notes_that_name_it(shop: Shop, alice: User, bob: User, client: Client) -> None:
    first = publish(alice, shop, "Tea")
    notes.save(first, title="About the tea")
    other = publish(bob, shop, "Beef noodles")
    dish = Dish.objects.get(name="Tea")
    link = f"/shops/{shop.pk}/notes/?dish={dish.pk}"
    assert f'href="{link}"' in client.get(shop.get_absolute_url()).content.decode()
    assert f'href="{link}"' in client.get(first.get_absolute_url()).content.decode()
    page = markup.compact(client.get(link).content)
    assert "Notes that recommend Tea" in page
    assert first.get_absolute_url() in page
    assert other.get_absolute_url() not in page
    assert client.get(f"/shops/{makers.shop('Other').pk}/notes/?dish={dish.pk}").status_code == 404


@pytest.mark.both_databases
def test_the_api_takes_and_lists_scores_and_dishes(shop: Shop, alice: User, client: Client) -> None:
    body = authors.note_body(alice, shop_id=shop.pk, dishes=["Tea"], taste=5, service=3)
    status, note = authors.call_json(authors.api_client(alice), "/api/notes", body)
    assert (status, note["taste"], note["room"], note["service"]) == (201, 5, None, 3)
    dish_id = note["dishes"][0]["id"]
    listed = client.get(f"/api/shops/{shop.pk}/dishes").json()["items"]
    assert listed == [{"id": dish_id, "name": "Tea", "recommended": 1}]
    named = client.get(f"/api/shops/{shop.pk}/notes?dish={dish_id}").json()["items"]
    assert [(one["id"], one["taste"]) for one in named] == [(note["id"], 5)]
    found = client.get(f"/api/shops/{shop.pk}").json()
    assert found["scores"] == {"taste": 5.0, "room": None, "service": 3.0}
    body = authors.note_body(alice, shop_id=shop.pk, dishes=list("abcdef"))
    assert authors.call_json(authors.api_client(alice), "/api/notes", body)[0] == 422
