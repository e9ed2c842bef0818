"""The order of what fits: names before descriptions, and with a place the near and well reviewed first."""

import html
import re

import pytest
from django.test import Client
from django.utils import translation

from apps.accounts.models import User
from apps.search.index import rebuilding
from apps.search.query.search import SearchPage, SearchRequest, search
from apps.shops.models import Shop
from tests.factories import NoteFactory, ShopFactory, ShopTypeFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db
#: At Hubin in Hangzhou.
HERE = (30.256, 120.1655)


def find(text: str, **wanted: object) -> SearchPage:
    return search(SearchRequest(text=text, **{"kind": "shops"} | wanted))  # type: ignore[arg-type]


def names(page: SearchPage) -> list[str]:
    return [hit.thing.name_en for hit in page.hits]


def make(name: str, *, km: float = 1.0, reviews: int = 0, about: str = "") -> Shop:
    """A shop so far to the north of the reader."""
    lat = HERE[0] + km / 111.2
    return makers.shop(name, lat=lat, lng=HERE[1], about_en=about, about_zh="", reviews=reviews)


@pytest.mark.parametrize("near", [None, HERE])
@pytest.mark.parametrize("typed", ["tea", "Tea", "ｔｅａ", "tea house", "teahouse"])
def test_a_name_that_begins_so_comes_before_a_word_in_a_description(
    typed: str, near: tuple[float, float] | None
) -> None:
    waiting = "Tea while you wait, tea house, teahouse, tea, tea and more tea in the teahouse."
    for number in range(5):
        make(f"Hairdresser {number}", km=0.1, reviews=900, about=waiting)
    teahouses = {"Lakeside Teahouse", "Old Tea House", "Teahouse of Spring", "Tea-House No. 2"}
    for km, name in enumerate(sorted(teahouses), start=2):
        make(name, km=km, about="Quiet rooms by the lake, and a long, long description of all of them.")
    rebuilding.rebuild()
    found = names(find(typed, near=near))
    assert len(found) == 9
    assert set(found[:4]) == teahouses


def test_a_type_counts_as_a_name() -> None:
    make("Barber", about="Teahouses, teahouses and teahouses near")
    kind = ShopTypeFactory.create(slug="tea", name_en="Teahouses")
    ShopFactory.create(name_en="Quiet Water", about_en="", type=kind)
    rebuilding.rebuild()
    assert names(find("teahouse"))[:2] == ["Quiet Water", "Barber"]


def test_of_those_that_fit_alike_the_near_and_well_reviewed_come_first() -> None:
    make("Hot Pot A", km=5.0, reviews=3)
    make("Hot Pot B", km=0.14, reviews=32)
    make("Hot Pot of another city", km=173, reviews=9_000)
    make("Hot Pot C", km=0.2, reviews=0)
    make("Noodles", km=0.1, about="hot pot on Fridays", reviews=500)
    rebuilding.rebuild()
    expected = ["Hot Pot B", "Hot Pot C", "Hot Pot A", "Noodles", "Hot Pot of another city"]
    assert names(find("hot pot", near=HERE)) == expected
    assert names(find("hot pot", near=HERE, within_km=10)) == expected[:-1]
    assert names(find('"hot pot"', near=HERE)) == expected
    assert names(find("hot pot", near=HERE, order="-relevance")) == expected[::-1]
    assert {*names(find("hot pot"))} == {*expected}


def test_pages_go_on_in_the_same_order() -> None:
    for number in range(7):
        make(f"Hot Pot {number}", km=7 - number)
    rebuilding.rebuild()
    first = find("hot pot", near=HERE, size=4)
    second = find("hot pot", near=HERE, size=4, cursor=first.next)
    assert names(first) + names(second) == [f"Hot Pot {number}" for number in range(6, -1, -1)]
    assert [hit.distance_m for hit in first.hits] == sorted(hit.distance_m or 0 for hit in first.hits)


@pytest.mark.parametrize("order", ["relevance", "-relevance", "distance", "price", "newest"])
def test_nothing_that_fits_is_nothing_in_each_order(order: str) -> None:
    make("Hot Pot")
    rebuilding.rebuild()
    page = find("zzzzqqq", near=HERE, order=order)
    assert (page.hits, page.total) == ([], 0)


def test_a_text_that_stands_on_ten_notes_is_one_with_nine_more(alice: User) -> None:
    shop = make("Hot Pot")
    same = [
        NoteFactory.create(
            shop=shop, author=alice, title="Hot pot", text=f"Go  there{'!' * (one == 3)}", likes=one
        )
        for one in range(10)
    ]
    other = NoteFactory.create(shop=shop, author=alice, title="Hot pot", text="Another text", likes=99)
    rebuilding.rebuild()
    page = find("hot pot", kind="notes", folds_same=True, order="votes")
    assert {hit.id: hit.more for hit in page.hits} == {other.pk: 0, same[9].pk: 8, same[3].pk: 0}
    assert [hit.id for hit in page.hits] == [other.pk, same[9].pk, same[3].pk]
    assert page.reachable == page.total == 11
    all_of_them = find("hot pot", kind="notes", same_as=same[9].pk, order="votes")
    assert [hit.id for hit in all_of_them.hits] == [one.pk for one in reversed(same) if one != same[3]]
    assert all_of_them.reachable == 9
    assert (all_of_them.total, {hit.more for hit in all_of_them.hits}) == (9, {0})
    assert len(find("hot pot", kind="notes").hits) == 11
    first = find("hot pot", kind="notes", folds_same=True, order="votes", size=1)
    second = find("hot pot", kind="notes", folds_same=True, order="votes", size=1, cursor=first.next)
    assert [(hit.id, hit.more) for hit in second.hits] == [(same[9].pk, 8)]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_of_the_best_notes_those_in_the_readers_language_come_first(alice: User, language: str) -> None:
    shop = make("Hot Pot 火锅")
    written = {
        code: [
            NoteFactory.create(shop=shop, author=alice, title=f"{title} {number}", text=f"{text} {number}")
            for number in range(3)
        ]
        for code, title, text in (("en", "Dinner", "Go there"), ("zh-hans", "晚饭", "去吃吧"))
    }
    own = {note.pk for note in written[language]}
    rebuilding.rebuild()
    with translation.override(language):
        plain = [hit.id for hit in find("hot pot 火锅", kind="notes", size=6).hits]
        first = find("hot pot 火锅", kind="notes", folds_same=True, size=2)
        rest = find("hot pot 火锅", kind="notes", folds_same=True, size=4, cursor=first.next)
        newest = find("hot pot 火锅", kind="notes", folds_same=True, order="newest", size=6)
    ids = [hit.id for hit in first.hits + rest.hits]
    assert ids == sorted(plain, key=lambda one: one not in own)
    # Another order is what the reader asked for.
    assert [hit.id for hit in newest.hits] == sorted(plain, reverse=True)


@pytest.mark.both_databases
def test_the_page_leads_to_the_others_of_one_text(client: Client, alice: User) -> None:
    shop = make("Hot Pot")
    notes = [NoteFactory.create(shop=shop, author=alice, title="Hot pot", text="Go there") for _ in range(3)]
    rebuilding.rebuild()
    page = client.get("/search/", {"q": "hot pot"}).content.decode()
    assert "2 more with the same words" in " ".join(page.split())
    address = re.search(r'class="hit__more"\s+href="([^"]+)"', page)
    assert address
    others = client.get(html.unescape(address[1])).context["found"].page
    assert {hit.id for hit in others.hits} == {note.pk for note in notes}
