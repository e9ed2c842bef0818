"""What is hot, found and suggested is of the reader's city, which a profile chooses from the list."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog.display import viewed
from apps.search.suggest import finding
from apps.shops.geo import cities
from apps.shops.models import City, Shop
from apps.uv import counting, visitors
from apps.uv.page_kinds import Scope
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import FlashSaleFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db
IN_SHANGHAI: dict[str, Any] = {"lat": 31.2304, "lng": 121.4737, "city_en": "Shanghai", "city_zh": "上海"}


def fill(shop: Shop, author: User) -> None:
    """Give a shop a sale, a note and a view, each named after its city."""
    FlashSaleFactory.create(voucher__shop=shop, voucher__title_en=f"Sale in {shop.city_en}")
    notes.note(author, shop=shop, title=f"Note from {shop.city_en}")
    counting.count(counting.View(Scope("shop", shop.pk), visitors.digest(visitors.new_value()), None))


@pytest.fixture(autouse=True)
def two_cities(alice: User) -> None:
    for shop in (makers.shop("Lake Noodles"), makers.shop("Bund Noodles", **IN_SHANGHAI)):
        fill(shop, alice)
    makers.commit_and_index()


def reader(city: str = "") -> Client:
    """A browser that has chosen a city."""
    # As the browser's script writes it; Python's cookies would quote a position's comma.
    return Client(HTTP_COOKIE=f"savor_where={city}") if city else Client()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("city", "here", "elsewhere"),
    [
        ("", ("Hangzhou", "Lake"), ("Shanghai", "Bund")),
        ("shanghai", ("Shanghai", "Bund"), ("Hangzhou", "Lake")),
        ("31.230,121.474", ("Shanghai", "Bund"), ("Hangzhou", "Lake")),
    ],
)
@pytest.mark.parametrize("path", ["/", "/search/"])
def test_what_is_hot_is_of_the_readers_city(
    path: str, city: str, here: tuple[str, str], elsewhere: tuple[str, str]
) -> None:
    page = reader(city).get(path).content.decode()
    for words in ("Sale in", "Note from") if path == "/" else ("Note from",):
        assert f"{words} {here[0]}" in page
        assert f"{words} {elsewhere[0]}" not in page
    assert f"{here[1]} Noodles" in page
    assert f"{elsewhere[1]} Noodles" not in page


def test_the_strip_stays_in_its_city_when_it_draws_itself_again() -> None:
    page = reader("shanghai").get("/").content.decode()
    assert 'hx-get="/sales/strip/?city=shanghai"' in page
    again = Client().get("/sales/strip/?city=shanghai").content.decode()
    assert "Sale in Shanghai" in again
    assert "Sale in Hangzhou" not in again
    everywhere = Client().get("/sales/strip/?city=atlantis").content.decode()
    assert everywhere.count("Sale in") == 2


def test_the_first_visit_from_another_city_brings_its_parts() -> None:
    headers = {"HX-Request": "true"}
    other = reader("shanghai").get("/?page_city=hangzhou", headers=headers).content.decode()
    assert 'id="home-city" hx-swap-oob="true"' in other
    assert "Sale in Shanghai" in other
    same = reader("shanghai").get("/?page_city=shanghai", headers=headers).content.decode()
    assert "Bund Noodles" in same
    assert "home-city" not in same


def test_a_citys_popular_shops_are_found_behind_those_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewed, "MAX_COMPARED", 1)
    for city, name in (("hangzhou", "Lake Noodles"), ("shanghai", "Bund Noodles")):
        assert name in reader(city).get("/search/").content.decode()


def test_a_sale_says_its_city_where_there_are_several() -> None:
    page = reader("shanghai").get("/sales/").content.decode()
    assert "· Hangzhou" in page
    assert "· Shanghai" in page
    City.objects.filter(slug="shanghai").delete()
    cities.forget()
    assert "· Hangzhou" not in Client().get("/sales/").content.decode()


def test_shops_of_the_city_are_suggested_first() -> None:
    Shop.objects.filter(name_en="Bund Noodles").update(popularity=9)
    Shop.objects.filter(name_en="Lake Noodles").update(popularity=1)
    for city, first in ((None, "Bund"), ("hangzhou", "Lake"), ("shanghai", "Bund")):
        found = finding.find("noodles", "shops", city=cities.find(city) if city else None)
        assert [line.name for line in found][0] == f"{first} Noodles"
    answer = reader("hangzhou").get("/api/suggest?q=noodles&kind=shops").json()["items"]
    assert [line["name"] for line in answer] == ["Lake Noodles", "Bund Noodles"]


def read_choice(client: Client, path: str) -> str:
    """The options of the field for the city."""
    page = " ".join(client.get(path).content.decode().split())
    return page.partition('name="city"')[2].partition("</select>")[0]


@pytest.mark.parametrize(
    ("written", "chosen"),
    [
        ("Shanghai", 'value="Shanghai" data-slug="shanghai" selected'),
        ("上海市", 'value="Shanghai" data-slug="shanghai" selected'),
        ("<Chengdu>", 'value="&lt;Chengdu&gt;" selected'),
        ("", 'value=""'),
    ],
)
def test_a_profiles_city_is_chosen_from_the_list_and_an_old_one_stays(
    alice: User, written: str, chosen: str
) -> None:
    User.objects.filter(pk=alice.pk).update(city=written)
    choice = read_choice(buyers.browser_client(alice), "/me/edit/")
    assert f"<option {chosen}" in choice
    assert choice.count("selected") == bool(written)
    assert 'data-slug="hangzhou"' in choice


def test_the_welcome_proposes_the_city_that_one_looks_at(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(city="")
    client = buyers.browser_client(alice)
    client.cookies["savor_where"] = "shanghai"
    assert '<option value="Shanghai" data-slug="shanghai" selected' in read_choice(client, "/welcome/")


def test_without_cities_one_writes_it(alice: User) -> None:
    City.objects.all().delete()
    cities.forget()
    assert '<input type="text" name="city"' in buyers.browser_client(alice).get("/me/edit/").content.decode()
