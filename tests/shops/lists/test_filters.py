from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.shops import areas, changes, filters, views
from apps.shops.filters import Filters
from apps.shops.lists import nearby, query
from apps.shops.lists.query import Query, Sort
from apps.shops.models import Shop
from tests.shops import makers

pytestmark = pytest.mark.django_db
HERE = areas.Point(makers.LAT, makers.LNG)
#: Noon and two in the morning in the site's time zone, Asia/Shanghai.
NOON, NIGHT = datetime(2026, 11, 24, 4, 0, tzinfo=UTC), datetime(2026, 11, 23, 18, 0, tzinfo=UTC)


@pytest.fixture(params=["redis", "sql"])
def names(request: pytest.FixtureRequest) -> Callable[..., list[str]]:
    """names(filters, **query): what the list holds, from the index or else from SQL."""

    def listed(chosen: Filters, **fields: Any) -> list[str]:
        if request.param == "redis":
            makers.commit_and_index()
        page = nearby.load_page(Query(**cast(Any, {"at": HERE, "filters": chosen} | fields)))
        return [shop.name for shop in page.items]

    return listed


@pytest.mark.both_databases
def test_shops_of_an_area_are_found_by_either_name(names: Callable[..., list[str]]) -> None:
    makers.shop("Lake Tea", area_en="West Lake", area_zh="西湖")
    makers.shop("Canal Tea", area_en="Canal", area_zh="运河")
    for value in ("West_Lake|西湖", "west lake", "西湖"):
        assert names(Filters(areas=tuple(filters.fold_names(value)))) == ["Lake Tea"]
    assert names(Filters(areas=("nowhere",))) == []


@pytest.mark.both_databases
def test_a_band_of_prices_begins_with_its_first_and_ends_before_the_next(
    names: Callable[..., list[str]],
) -> None:
    for price in (4_999, 5_000, 9_999, 10_000):
        makers.shop(f"At {price}", price=price)
    band = filters.band_range("2")
    assert band
    assert names(Filters(prices=(band,))) == ["At 5000", "At 9999"]
    assert names(Filters(prices=(band, (10_000, 10_001))), sort=Sort.PRICE) == [
        "At 5000",
        "At 9999",
        "At 10000",
    ]


@pytest.mark.both_databases
@pytest.mark.parametrize(("at", "open_shops"), [(NOON, ["Lunch", "Always"]), (NIGHT, ["Late", "Always"])])
def test_open_now_knows_breaks_and_midnight(
    names: Callable[..., list[str]], at: datetime, open_shops: list[str]
) -> None:
    hours = {"Lunch": "11:00–14:00, 17:00–22:30", "Late": "20:00–03:00", "Always": "24 hours", "Ask us": "?"}
    for name, text in hours.items():
        makers.shop(name, hours_en=text)
    with time_machine.travel(at, tick=False):
        assert names(Filters(open_now=True)) == open_shops
        assert names(Filters(open_now=True), at=None, sort=Sort.RATING)[::-1] == open_shops


@pytest.mark.both_databases
def test_a_voucher_counts_until_its_end(names: Callable[..., list[str]]) -> None:
    made = makers.shop("Offers")
    makers.shop("None")
    changes.update(Shop.objects.filter(pk=made.pk), vouchers_until=timezone.now() + timedelta(hours=1))
    assert names(Filters(voucher=True)) == ["Offers"]
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        assert names(Filters(voucher=True)) == []


@pytest.mark.both_databases
def test_filtered_pages_are_full_and_hold_all_in_order() -> None:
    makers.shops_of(
        {"name_en": str(number), "lat": makers.LAT + 20 * number * makers.METRE, "price": 100 + number % 3}
        for number in range(60)
    )
    makers.commit_and_index()
    wanted, cursor, pages = Query(at=HERE, filters=Filters(prices=((101, 102),))), "", []
    while True:
        page = nearby.load_page(wanted, cursor=cursor, size=6)
        pages.append([int(shop.name) for shop in page.items])
        if page.next is None:
            break
        cursor = page.next
    assert list(map(len, pages)) == [6, 6, 6, 2]
    assert sum(pages, []) == list(range(1, 60, 3))


@pytest.mark.parametrize("is_indexed", [False, True])
def test_where_few_pass_the_filters_sql_finds_the_page(is_indexed: bool) -> None:
    makers.shops_of(
        {
            "name_en": str(number),
            "lat": makers.LAT + 10 * number * makers.METRE,
            "price": 7 if number % 40 == 39 else 1,
        }
        for number in range(2 * query.MAX_READ_SHOPS)
    )
    if is_indexed:
        makers.commit_and_index()
    page = nearby.load_page(Query(at=HERE, filters=Filters(prices=((7, 8),))), size=5)
    assert [int(shop.name) for shop in page.items] == [39, 79, 119, 159, 199]
    page = nearby.load_page(Query(at=HERE, filters=Filters(prices=((7, 8),))), cursor=page.next or "", size=5)
    assert ([int(shop.name) for shop in page.items], page.next) == ([239, 279], None)


def test_the_api_filters_and_counts(client: Client) -> None:
    makers.shop("Cheap", price=3_000, area_en="Canal", area_zh="运河")
    makers.shop("Dear", price=30_000)
    makers.commit_and_index()
    answer = client.get("/api/shops?city=hangzhou&price=1&area=Canal").json()
    assert [shop["name"] for shop in answer["items"]] == ["Cheap"]
    prices = {one["value"]: (one["number"], one["is_chosen"]) for one in answer["facets"]["price"]}
    assert prices == {"1": (1, True), "2": (0, False), "3": (0, False), "4": (1, False)}
    assert [one["value"] for one in answer["facets"]["area"] if one["is_chosen"]] == ["Canal|运河"]
    found = client.get("/api/shops?city=hangzhou&price_from=3001&price_to=30000").json()["items"]
    assert [shop["name"] for shop in found] == ["Dear"]
    for wrong in ("price=9", "price_from=5&price_to=4", "city=atlantis", "price_from=x"):
        assert client.get(f"/api/shops?{wrong}").json()["code"] == "invalid"


def test_the_page_shows_what_is_on_and_the_way_back(client: Client) -> None:
    makers.shop("Cheap", price=3_000)
    makers.commit_and_index()
    page = client.get("/shops/?city=hangzhou&price=1&area=West+Lake&sort=rating").content.decode()
    assert "Cheap" in page
    assert 'href="?city=hangzhou&amp;area=West+Lake&amp;sort=rating"' in page
    empty = client.get("/shops/?city=hangzhou&price=4&open=1").content.decode()
    assert "Nothing matches" in empty
    assert 'href="?city=hangzhou"' in empty


def test_a_change_of_the_form_brings_the_answer_alone(client: Client) -> None:
    makers.shop("Cheap", price=3_000)
    makers.commit_and_index()
    headers = {"HX-Request": "true", "HX-Trigger": "shop-filters"}
    answer = client.get("/shops/?city=hangzhou&price=1&sort=", headers=headers)
    assert answer["HX-Push-Url"] == "/shops/?city=hangzhou&price=1"
    assert answer.content.strip().startswith(b'<div class="stack" id="shop-answer"')


def test_what_stands_around_an_answer_keeps_its_choices(client: Client) -> None:
    makers.shop("Cheap", price=3_000)
    makers.commit_and_index()
    headers = {"HX-Request": "true", "HX-Trigger": "shop-filters"}
    for path in ("/shops/", "/shops/map/"):
        answer = client.get(f"{path}?city=hangzhou&sort=rating&price=1", headers=headers).content.decode()
        assert f'href="{path}?type=food&amp;city=hangzhou&amp;sort=rating&amp;price=1"' in answer
        assert '<input type="hidden" name="price" value="1">' in answer
        assert "Show 1 shop" in answer
    assert 'href="/shops/?city=hangzhou&amp;sort=rating&amp;price=1"' in answer, (
        "the way from the map to the list"
    )
    listed = client.get("/shops/?city=hangzhou&sort=rating&price=1", headers=headers).content.decode()
    assert 'href="/shops/?sort=popular&amp;city=hangzhou&amp;price=1"' in listed
    assert 'href="/shops/map/?city=hangzhou&amp;sort=rating&amp;price=1"' in listed


@pytest.mark.both_databases
@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize("store", ["redis", "sql"])
def test_a_list_is_counted_over_all_its_pages(
    sort: Sort, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers.shops_of(
        {"price": 100 + number % 2, "lat": makers.LAT + number * makers.METRE} for number in range(14)
    )
    if store == "redis":
        makers.commit_and_index()
    wanted = Query(at=HERE, sort=sort, filters=Filters(prices=((101, 102),)))
    assert nearby.count(wanted) == (7, True)
    monkeypatch.setattr(nearby, "MAX_COUNTED_SHOPS", 6)
    assert nearby.count(wanted) == (6, False)


def test_a_window_of_the_map_that_holds_more_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    makers.shops(5)
    makers.commit_and_index()
    window = {"south": "30.2", "west": "120.0", "north": "30.4", "east": "120.3"}
    assert "The nearest" not in client.get("/shops/map/", window).content.decode()
    monkeypatch.setattr(views, "MAX_MAP_SHOPS", 2)
    assert "The nearest 2 of 5." in client.get("/shops/map/", window).content.decode()
    monkeypatch.setattr(nearby, "MAX_COUNTED_SHOPS", 4)
    assert "The nearest 2 of more than 4." in client.get("/shops/map/", window).content.decode()
