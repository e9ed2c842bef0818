"""Lists of notes are built without their schema; these tests hold them to it."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog import likes
from apps.blog.models import Note
from apps.blog.schemas import NoteOut
from tests.blog import makers
from tests.coupons import buyers

pytestmark = pytest.mark.django_db


def test_a_list_has_what_one_note_has(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(avatar="avatars/alice.webp")
    note = makers.note(alice, photos=2, rating=4)
    likes.like(note.pk, bob.pk)
    (item,) = buyers.api_client(bob).get("/api/notes/hot").json()["items"]
    one = buyers.api_client(bob).get(f"/api/notes/{note.pk}").json()
    photos = [{name: photo[name] for name in photo if name != "id"} for photo in one["photos"]]
    assert item == {name: one[name] for name in item} | {"photos": photos}
    assert item["liked"]


def test_a_shop_is_named_in_the_language_asked_for(alice: User) -> None:
    makers.note(alice, shop=makers.shop(in_both_languages=True))
    (item,) = Client().get("/api/notes/hot", headers={"Accept-Language": "zh-Hans"}).json()["items"]
    assert item["shop"]["name"] == "湖边面馆"


@pytest.mark.both_databases
def test_wherever_a_note_is_its_shop_is_named_in_both_languages_if_asked(alice: User, bob: User) -> None:
    shop = makers.shop(in_both_languages=True)
    note = makers.note(alice, shop=shop)
    me = buyers.api_client(bob)
    me.put(f"/api/users/{alice.pk}/follow")
    likes.like(note.pk, bob.pk)
    lists = [
        "notes/hot",
        "feed",
        f"shops/{shop.pk}/notes",
        f"users/{alice.pk}/notes",
        f"users/{bob.pk}/likes",
    ]
    for path in (f"/api/notes/{note.pk}", *(f"/api/{each}" for each in lists)):
        plain, both = (me.get(path, asked).json() for asked in ({}, {"all_languages": "1"}))
        found = both["items"][0] if "items" in both else both
        assert found["shop"]["texts"]["en"].items() >= {"name": "Lakeside Noodle House"}.items(), path
        assert found["shop"]["texts"]["zh-hans"].items() >= {"name": "湖边面馆"}.items(), path
        del found["shop"]["texts"]
        assert both == plain, path


def test_my_notes_name_their_shops_in_both_languages_if_asked(alice: User) -> None:
    makers.note(alice, shop=makers.shop(in_both_languages=True))
    (item,) = buyers.api_client(alice).get("/api/me/notes?all_languages=1").json()["items"]
    assert item["shop"]["texts"]["zh-hans"]["name"] == "湖边面馆"


def test_a_list_keeps_to_its_schema(alice: User) -> None:
    note = makers.note(alice)
    Note.objects.filter(pk=note.pk).update(rating=None)
    (item,) = Client().get("/api/notes/hot?all_languages=1").json()["items"]
    assert list(item) == list(NoteOut.model_fields)
    described = NoteOut.model_json_schema(by_alias=False)["$defs"]
    assert list(item["shop"]) == list(described["NoteShopOut"]["properties"])
    assert list(item["author"]) == list(described["PersonOut"]["properties"])
    assert list(item["photos"][0]) == list(described["PhotoOut"]["properties"])
