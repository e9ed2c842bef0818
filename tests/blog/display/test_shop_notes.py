"""The notes on a shop's page: drawn once for many, and yet each reader's own, and never an old one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import likes
from apps.blog.models import Note
from apps.search.words import said_words
from apps.shops.models import Shop, ShopGuest
from tests import markup
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
HEARTS = re.compile(r'data-like="(\d+)" aria-pressed="(\w+)".*?<span class="nums">(\d+)</span>')


@pytest.fixture
def shop(bob: User) -> Shop:
    made = shops.shop()
    for title in ("First", "Second"):
        notes.note(bob, shop=made, title=title)
    return made


def page(reader: Client, shop: Shop, **headers: str) -> str:
    return markup.compact(reader.get(f"/shops/{shop.pk}/", headers=headers).content)


def test_every_reader_gets_the_same_hearts(shop: Shop, alice: User, charlie: User) -> None:
    first = Note.objects.get(title="First")
    likes.like(first.pk, alice.pk)
    shown = [page(reader, shop) for reader in (*map(buyers.browser_client, (alice, charlie)), Client())]
    assert HEARTS.findall(shown[0]) == [(str(first.pk + 1), "false", "0"), (str(first.pk), "false", "1")]
    assert len(set(shown)) == 1
    part = buyers.api_client(alice).get(f"/api/me/page?notes={first.pk},{first.pk + 1}").json()
    assert part["liked"] == [first.pk]


def test_every_heart_leads_back_to_itself_on_this_very_page(shop: Shop, alice: User) -> None:
    for query in ("", "?back=a%26b", "?back=c"):
        shown = markup.compact(buyers.browser_client(alice).get(f"/shops/{shop.pk}/{query}").content)
        for note in Note.objects.all():
            assert f'name="next" value="/shops/{shop.pk}/{query}#shop-heart-{note.pk}"' in shown


def test_a_change_is_seen_at_once(shop: Shop, alice: User) -> None:
    reader, first = buyers.browser_client(alice), Note.objects.get(title="First")
    assert "First" in page(reader, shop)
    Note.objects.filter(pk=first.pk).update(title="<Changed>")
    assert "&lt;Changed&gt;" in page(reader, shop)
    User.objects.filter(pk=first.author_id).update(nickname="Robert")
    assert "Robert" in page(reader, shop)
    Note.objects.all().delete()
    assert "Nobody has written about this place yet" in page(reader, shop)


@pytest.mark.both_databases
def test_each_reader_has_their_language(shop: Shop) -> None:
    found = [page(Client(), shop, accept_language=language) for language in ("en", "zh-hans", "en")]
    assert ["笔记" in each for each in found] == [False, True, False]


@pytest.fixture
def told(alice: User, bob: User, charlie: User) -> Shop:
    """With notes of 5, 4 and 2 stars; alice has used a coupon, bob writes Chinese, charlie shows photos."""
    made, now = shops.shop(), timezone.now()
    written: list[tuple[User, str, int, dict[str, Any]]] = [
        (alice, "Warm", 4, {"photos": 0, "likes": 1}),
        (bob, "热汤", 5, {"photos": 0, "text": "好喝"}),
        (charlie, "Cold", 2, {"likes": 7}),
    ]
    for ago, (author, title, rating, fields) in enumerate(written):
        at = now - timedelta(days=ago)
        notes.note(author, shop=made, title=title, rating=rating, at=at, **fields)
    ShopGuest.objects.create(shop=made, user=alice)
    notes.note(alice, shop=shops.shop("Teahouse"), title="Elsewhere", rating=5)
    return made


def titles(shop: Shop, query: str = "", **headers: str) -> list[str]:
    """The titles of the notes in the list of a shop, of the page and of the API, which are the same."""
    page = Client().get(f"/shops/{shop.pk}/notes/?{query}", headers=headers)
    listed = [card.title for card in page.context["cards"]]
    items = Client().get(f"/api/shops/{shop.pk}/notes?{query}").json()["items"]
    assert [item["title"] for item in items] == listed
    return listed


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Warm", "热汤", "Cold"]),
        ("sort=best", ["热汤", "Warm", "Cold"]),
        ("sort=worst", ["Cold", "Warm", "热汤"]),
        ("sort=helpful", ["Cold", "Warm", "热汤"]),
        ("stars=4", ["Warm"]),
        ("stars=3", []),
        ("pictures=1", ["Cold"]),
        ("language=zh-hans", ["热汤"]),
        ("language=en", ["Warm", "Cold"]),
        ("bought=1", ["Warm"]),
        ("language=en&sort=worst", ["Cold", "Warm"]),
        ("bought=1&pictures=1", []),
    ],
)
def test_notes_are_ordered_and_chosen(told: Shop, query: str, expected: list[str]) -> None:
    assert titles(told, query) == expected


def test_a_page_passes_over_what_there_is_not_and_the_api_refuses_it(told: Shop) -> None:
    for query in ("stars=6", "stars=x", "sort=odd", "language=fr"):
        page = Client().get(f"/shops/{told.pk}/notes/?{query}")
        assert len(page.context["cards"]) == 3, query
        assert Client().get(f"/api/shops/{told.pk}/notes?{query}").status_code == 422, query


@pytest.mark.both_databases
@pytest.mark.parametrize("sort", ["newest", "best", "worst", "helpful"])
def test_pages_go_on_in_their_order_with_their_filter(alice: User, sort: str) -> None:
    shop = shops.shop()
    for number in range(45):
        notes.note(alice, shop=shop, title=str(number), rating=1 + number % 5, likes=number % 3, photos=0)
    seen, address = list[int](), f"/shops/{shop.pk}/notes/?sort={sort}&language=en"
    while address:
        page = Client().get(address)
        seen += [card.pk for card in page.context["cards"]]
        address = page.context["next_url"]
        assert not address or f"sort={sort}&language=en" in address
    assert len(seen) == len(set(seen)) == 45
    by_id = Note.objects.in_bulk(seen)
    column = {"best": "rating", "worst": "rating", "helpful": "likes", "newest": "published_at"}[sort]
    values = [getattr(by_id[pk], column) for pk in seen]
    assert values == sorted(values, reverse=sort != "worst")


def test_bars_say_the_share_of_stars_and_lead_to_them_and_back(told: Shop) -> None:
    shown = page(Client(), told)
    bars = re.findall(r'notes/\?stars=(\d)".*?reviews__count nums" aria-hidden="true">(\d+)<', shown)
    assert bars == [("5", "1"), ("4", "1"), ("3", "0"), ("2", "1"), ("1", "0")]
    assert 'width="33%"' in shown
    chosen = Client().get(f"/shops/{told.pk}/notes/?stars=4&sort=worst").context["reviews"]
    assert [bar.is_chosen for bar in chosen["bars"]] == [False, True, False, False, False]
    assert chosen["bars"][1].url == f"/shops/{told.pk}/notes/?sort=worst"
    assert chosen["bars"][0].url == f"/shops/{told.pk}/notes/?sort=worst&stars=5"


def test_a_note_says_its_stars_its_day_and_who_bought_there_instead_of_its_shop(
    told: Shop, bob: User
) -> None:
    for path in (f"/shops/{told.pk}/", f"/shops/{told.pk}/notes/"):
        shown = markup.compact(Client().get(path).content)
        cards = re.findall(r'<article class="note-card.*?</article>', shown)
        warm = next(card for card in cards if "Warm" in card)
        assert "4 stars" in warm
        assert f'datetime="{timezone.localdate():%Y-%m-%d}"' in warm
        assert told.name not in warm
        assert ["Bought here" in card for card in cards] == ["Warm" in card for card in cards]
    note = Note.objects.get(title="Warm")
    assert "Bought here" in markup.compact(Client().get(note.get_absolute_url()).content)
    other = Note.objects.get(title="Cold")
    assert "Bought here" not in markup.compact(Client().get(other.get_absolute_url()).content)
    items = Client().get(f"/api/shops/{told.pk}/notes").json()["items"]
    assert [item["bought_here"] for item in items] == [item["title"] == "Warm" for item in items]


def test_where_nothing_fits_the_way_back_is_shown(told: Shop) -> None:
    shown = markup.compact(Client().get(f"/shops/{told.pk}/notes/?stars=1&bought=1").content)
    assert "Nothing fits all of your filters." in shown
    assert "Nobody has written" not in shown
    assert "Nobody has written" in markup.compact(
        Client().get(f"/shops/{shops.shop('New').pk}/notes/").content
    )


def test_notes_with_stars_cost_the_same_number_of_queries_for_20_as_for_10(alice: User) -> None:
    costs = []
    for count in (10, 20):
        shop = shops.shop(f"Of {count}")
        for _ in range(count):
            notes.note(alice, shop=shop)
        said_words.most_said(shop.pk)
        with CaptureQueriesContext(connection) as queries:
            assert len(Client().get(f"/shops/{shop.pk}/notes/?sort=best").context["cards"]) == count
        costs.append(len(queries))
    # The shop, the ids, the cards, and how many gave how many stars.
    assert costs == [4, 4]
