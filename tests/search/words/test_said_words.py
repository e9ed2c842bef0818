"""The words that the notes about a shop say most: which they are, and that their chips list those notes."""

from datetime import timedelta

import factory
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.search.words import said_words
from apps.shops.models import Shop
from tests.blog import makers as notes
from tests.factories import BlockedWordFactory, NoteFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db


def write(shop: Shop, author: User, *texts: str) -> None:
    for text in texts:
        notes.note(author, shop=shop, title="", text=text, photos=0)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["The broth is warm"], []),
        (
            ["The broth is warm", "Broth, broth and noodles", "NOODLES of steak"],
            [("broth", 2), ("noodles", 2)],
        ),
        (["A tea", "Teas and steak", "Tea again"], [("tea", 2)]),
        (["小笼包很好", "吃小笼包", "一笼小笼包"], [("小笼包", 3)]),
        (["味道好，服务好", "味道不错"], [("味道", 2)]),
        (["We were there in 2026", "There in 2026 we were"], []),
    ],
)
def test_words_are_counted_once_a_note(texts: list[str], expected: list[tuple[str, int]]) -> None:
    assert said_words.count_words(texts) == expected


def test_at_most_eight_are_named() -> None:
    letters = "abcdefghijklmnop"
    texts = [" ".join(letter * 5 for letter in letters[:many]) for many in range(1, 17)]
    assert [word for word, _ in said_words.count_words(texts)] == [letter * 5 for letter in letters[:8]]


@pytest.mark.both_databases
def test_a_chip_lists_the_notes_that_say_its_word(alice: User) -> None:
    shop = shops.shop()
    write(shop, alice, "Warm broth", "Broth! And a steak", "Only tea", "Tea (cold)", "汤好喝", "好喝的汤")
    page = Client().get(f"/shops/{shop.pk}/")
    html = page.content.decode()
    assert f'href="/shops/{shop.pk}/notes/?word=broth"' in html
    found = Client().get(f"/shops/{shop.pk}/notes/?word=tea")
    assert [card.text for card in found.context["cards"]] == ["Tea (cold)", "Only tea"]
    chinese = Client().get(f"/shops/{shop.pk}/notes/?word=好喝", headers={"accept-language": "zh-hans"})
    assert [card.text for card in chinese.context["cards"]] == ["好喝的汤", "汤好喝"]
    assert 'aria-current="true"' in chinese.content.decode().split("好喝")[0].rsplit("<nav", 1)[1]
    for odd in ("a b", ".*", "x" * 31):
        assert len(Client().get(f"/shops/{shop.pk}/notes/", {"word": odd}).context["cards"]) == 6
        assert Client().get(f"/api/shops/{shop.pk}/notes", {"word": odd}).status_code == 422


def test_the_api_names_them_and_lists_their_notes(alice: User) -> None:
    shop = shops.shop()
    write(shop, alice, "Warm broth", "Broth", "Tea")
    path = f"/api/shops/{shop.pk}"
    assert Client().get(f"{path}/words").json() == {"items": [{"word": "broth", "notes": 2}], "next": None}
    assert len(Client().get(f"{path}/notes?word=broth").json()["items"]) == 2
    assert Client().get("/api/shops/999/words").status_code == 404


def test_neither_the_shops_own_name_nor_a_blocked_word_is_named(alice: User) -> None:
    shop = shops.shop("Lakeside Noodle House")
    BlockedWordFactory.create(word="swear")
    write(shop, alice, "Lakeside broth, swear", "Broth, swear at Lakeside")
    assert said_words.most_said(shop.pk) == [("broth", 2)]


def test_the_newest_notes_alone_are_read_and_then_kept(alice: User) -> None:
    shop, now = shops.shop(), timezone.now()
    texts = [*["Fresh broth"] * said_words.MAX_NOTES, *["Cold tea"] * 5]
    days = [now - timedelta(days=ago) for ago in range(len(texts))]
    NoteFactory.bulk_create(
        len(texts),
        shop=shop,
        author=alice,
        title="",
        text=factory.Iterator(texts),
        published_at=factory.Iterator(days),
    )
    assert said_words.most_said(shop.pk) == [("broth", 300), ("fresh", 300)]
    with CaptureQueriesContext(connection) as queries:
        assert len(said_words.most_said(shop.pk)) == 2
    assert len(queries) == 0
