"""Hits in the order in which people read their names."""

import pytest
from django.test import Client
from django.utils import translation

from apps.accounts.models import User
from apps.redis_kit import client as redis_client
from apps.search import keys
from apps.search.index import draining, generations, rebuilding
from apps.search.query.search import SearchRequest, search
from apps.shops import changes
from apps.shops.models import Shop
from tests.blog import makers

pytestmark = pytest.mark.django_db


def by_name(order: str = "name", kind: str = "shops", text: str = "", **wanted: object) -> list[str]:
    page = search(SearchRequest(text=text, kind=kind, order=order, **wanted))  # type: ignore[arg-type]
    return ["".join(part.text for part in hit.title) for hit in page.hits]


@pytest.mark.both_databases
def test_each_language_has_its_order_by_reading() -> None:
    for english, chinese in (
        ("Zebra", "2号店"),
        ("apple", "重庆面馆"),
        ("Émile", "10号店"),
        ("Bar", "阿里山"),
    ):
        makers.shop(english, name_zh=chinese)
    makers.shop("Tea 10")
    makers.shop("Tea 9")
    rebuilding.rebuild()
    assert by_name() == ["apple", "Bar", "Émile", "Tea 9", "Tea 10", "Zebra"]
    assert by_name("-name") == ["Zebra", "Tea 10", "Tea 9", "Émile", "Bar", "apple"]
    with translation.override("zh-hans"):
        assert by_name() == ["2号店", "10号店", "阿里山", "重庆面馆", "Tea 9", "Tea 10"]


@pytest.mark.both_databases
def test_a_renamed_shop_moves_and_an_unlisted_one_leaves() -> None:
    first, last = makers.shop("Apple noodles"), makers.shop("Bread noodles")
    rebuilding.rebuild()
    changes.update(Shop.objects.filter(pk=first.pk), name_en="Cheese noodles")
    draining.index_waiting()
    assert by_name(text="noodles") == ["Bread noodles", "Cheese noodles"]
    changes.update(Shop.objects.filter(pk=last.pk), is_listed=False)
    draining.index_waiting()
    assert by_name() == ["Cheese noodles"]


def test_names_that_begin_alike_are_compared_to_their_ends_and_paged_without_a_gap() -> None:
    names = [f"The same beginning of a long name {number}" for number in (11, 2, 1, 10, 3)]
    for name in names:
        makers.shop(name)
    rebuilding.rebuild()
    page = search(SearchRequest(text="", kind="shops", order="name", size=3))
    further = search(SearchRequest(text="", kind="shops", order="name", size=3, cursor=page.next or ""))
    ends = [hit.thing.name_en.rpartition(" ")[2] for hit in [*page.hits, *further.hits]]
    assert ends == ["1", "2", "3", "10", "11"]


@pytest.mark.both_databases
def test_people_and_sales_have_one_too_and_notes_have_none(client: Client, alice: User, bob: User) -> None:
    rebuilding.rebuild()
    assert by_name(kind="people") == ["Alice", "Bob"]
    assert client.get("/api/search", {"kind": "sales", "sort": "name"}).status_code == 200
    assert client.get("/api/search", {"kind": "notes", "sort": "name"}).json()["code"] == "unknown_order"


def test_the_page_offers_it(client: Client) -> None:
    makers.shop("Zebra")
    makers.shop("Apple")
    rebuilding.rebuild()
    shown = client.get("/search/", {"kind": "shops", "sort": "name"}).content.decode()
    assert '<option value="name" selected' in shown
    assert shown.index("Apple") < shown.index("Zebra")


def test_an_index_that_older_code_built_is_rebuilt() -> None:
    makers.shop("Apple")
    rebuilding.rebuild()
    generation = generations.live("shops")
    redis_client.get().hdel(keys.STATS(kind="shops", generation=generation or 0), "layout")
    assert rebuilding.rebuild_missing() == ["shops"]
    assert rebuilding.rebuild_missing() == []
