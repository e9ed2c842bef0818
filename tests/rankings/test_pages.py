"""Pages and API of rankings."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.rankings import rankings
from apps.rankings.models import Rank
from apps.rankings.templatetags.rankings import MAX_SHOWN_RANK
from apps.shops import changes
from apps.shops.geo import cities
from apps.shops.models import City, Shop
from apps.uv import days
from tests.factories import RankFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


def rank(ranked: list[Shop], *, city: str = "hangzhou") -> None:
    """Rows of this week, in this order."""
    Rank.objects.filter(city=city).delete()
    Rank.objects.bulk_create(
        RankFactory.build(city=city, shop=shop, rank=place) for place, shop in enumerate(ranked, start=1)
    )
    rankings.CITIES.invalidate(city)


def positions(html: str, *names: str) -> list[int]:
    return [html.index(f">{name}</a>") for name in names]


def test_the_page_shows_the_five_best_of_each_type(client: Client) -> None:
    rank(shops.shops(6))
    html = client.get("/rankings/").content.decode()
    found = positions(html, *(f"Shop {number}" for number in range(5)))
    assert found == sorted(found)
    assert ">Shop 5</a>" not in html
    assert 'href="/rankings/food/"' in html


def test_the_page_of_a_type_shows_all_of_the_chosen_city(client: Client) -> None:
    rank(shops.shops(6))
    html = client.get("/rankings/food/").content.decode()
    found = positions(html, *(f"Shop {number}" for number in range(6)))
    assert found == sorted(found)
    assert "No ranking yet" in client.get("/rankings/food/?city=shanghai").content.decode()
    # The cookie remembers the city, for both pages.
    assert "No ranking yet" in client.get("/rankings/food/").content.decode()
    assert "No ranking yet" in client.get("/rankings/").content.decode()


@pytest.mark.both_databases
def test_a_change_is_said_aloud(client: Client) -> None:
    first, second = shops.shops(2)
    rank([first, second])
    Rank.objects.update(week=rankings.monday(days.today()) - rankings.WEEK)
    third = shops.shop("Newcomer")
    for place, shop in enumerate([second, first, third], start=1):
        RankFactory.create(shop=shop, rank=place)
    rankings.CITIES.invalidate("hangzhou")
    html = client.get("/rankings/food/").content.decode()
    assert [html.count(text) for text in ("up 1 place", "down 1 place", ">new<")] == [1, 1, 1]


def test_a_shops_page_tells_its_place_and_leads_to_the_ranking(client: Client) -> None:
    first, second, *_others, last = made = shops.shops(MAX_SHOWN_RANK + 1)
    rank(made)
    html = client.get(f"/shops/{second.pk}/").content.decode()
    assert "No. 2 this week: Food, Hangzhou" in html
    assert 'href="/rankings/food/?city=hangzhou"' in html
    assert "this week: Food" not in client.get(f"/shops/{last.pk}/").content.decode()
    rank([second, first])
    assert "No. 1 this week" in client.get(f"/shops/{second.pk}/").content.decode()


def test_a_delisted_shop_goes_at_once(client: Client) -> None:
    gone, stays = shops.shops(2)
    rank([gone, stays])
    client.get("/rankings/food/")
    changes.update(Shop.objects.filter(pk=gone.pk), is_listed=False)
    for path in ("/rankings/", "/rankings/food/"):
        html = client.get(path).content.decode()
        assert ">Shop 1</a>" in html
        assert ">Shop 0</a>" not in html


def test_an_unknown_type_is_not_found(client: Client) -> None:
    assert client.get("/rankings/nothing/").status_code == 404


@pytest.mark.parametrize("path", ["/rankings/", "/rankings/food/", "/api/rankings?type=food"])
def test_20_shops_cost_as_many_queries_as_10(client: Client, path: str) -> None:
    numbers = []
    for many, kind in ((10, "food"), (20, "food")):
        rank(shops.shops(many, type=kind))
        client.get(path)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        numbers.append(len(queries))
    assert numbers[0] == numbers[1] <= 4


def test_the_api_lists_a_ranking(client: Client) -> None:
    first, second = shops.shops(2)
    rank([first, second])
    items = client.get("/api/rankings?type=food&city=hangzhou").json()["items"]
    assert [(item["rank"], item["change"], item["is_new"]) for item in items] == [
        (1, 0, False),
        (2, 0, False),
    ]
    assert [item["shop"]["name"] for item in items] == ["Shop 0", "Shop 1"]
    assert client.get("/api/rankings?type=food").json()["items"] == items
    assert client.get("/api/rankings?type=food&city=shanghai").json() == {"items": [], "next": None}


@pytest.mark.parametrize("query", ["", "type=nothing", "type=food&city=atlantis"])
def test_the_api_refuses_what_is_not_there(client: Client, query: str) -> None:
    shops.shop_type()
    answer = client.get(f"/api/rankings?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.both_databases
def test_the_list_of_a_type_leads_to_its_ranking(client: Client) -> None:
    shops.shop_type()
    assert 'href="/rankings/food/"' in client.get("/shops/?type=food").content.decode()


def test_every_city_has_a_document_of_its_own(client: Client) -> None:
    for city in cities.read():
        client.cookies["savor_where"] = city.slug
        assert str(city.name) in client.get("/rankings/").content.decode()


def test_staff_read_the_names_of_cities_and_a_short_score(boss: Client) -> None:
    shop = shops.shop("Lakeside Noodle House")
    for city in (City.ALL, "shanghai", "closed-city"):
        RankFactory.create(city=city, shop=shop, score=604.6908675213737)
    page = boss.get("/admin/rankings/rank/").content.decode()
    assert "604.7" in page
    assert "604.69" not in page
    assert {name for name in ("all cities", "Shanghai", "closed-city") if name in page} == {
        "all cities",
        "Shanghai",
        "closed-city",
    }
