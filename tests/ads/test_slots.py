"""The boxes for ads on pages: the same for everybody, and only where there may be an ad."""

import re

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.ads import display
from apps.blog.models import Note
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
BOX_PATTERN = re.compile(r'data-ad="([^"]*)"')


def boxes(client: Client, path: str) -> list[str]:
    return BOX_PATTERN.findall(client.get(path).content.decode())


def test_a_shop_page_has_a_box(alice: User) -> None:
    shop = shops.shop()
    for client in (Client(), buyers.browser_client(alice)):
        assert boxes(client, f"/shops/{shop.pk}/") == [f"place=shop&amp;shop={shop.pk}"]


def test_a_published_note_has_a_box_and_a_draft_none(alice: User) -> None:
    note = notes.note(alice)
    assert boxes(Client(), f"/notes/{note.pk}/") == [f"place=note&amp;note={note.pk}"]
    Note.objects.filter(pk=note.pk).update(status=Note.Status.DRAFT)
    assert boxes(buyers.browser_client(alice), f"/notes/{note.pk}/") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Third Floor Hot-Pot", ["Third", "Floor", "Third Floor", "Hot", "Floor Hot", "Pot", "Hot Pot"]),
        ("三楼火锅", ["三楼", "楼火", "火锅"]),
        ("面 and 茶楼", ["面", "and", "茶楼"]),
        ("Li's café!", ["Li's", "café", "Li's café"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert list(display.split_words(text)) == words
