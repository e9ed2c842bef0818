"""What is hot, found and suggested is of the reader's city, which a profile chooses from the list."""

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.exceptions import ValidationError
from django.db.models import Case, When
from django.test import Client

from apps.accounts.models import User
from apps.blog.display import note_lists
from apps.search.index import rebuilding
from apps.search.suggest import finding
from apps.shops import findable_shops
from apps.shops.geo import cities
from apps.shops.lists import nearby
from apps.shops.models import City, Shop
from apps.uv import counting, visitors
from apps.uv.page_kinds import Scope
from apps.web import paging
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import CityFactory, FlashSaleFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db
#: What htmx says when a filter has changed.
FILTERED = {"HX-Request": "true", "HX-Trigger": "shop-filters"}
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


ALL_NAMES = [f"{words} {city}" for words in ("Sale in", "Note from") for city in ("Hangzhou", "Shanghai")]


@pytest.mark.both_databases
def test_all_cities_is_a_choice_with_what_is_hot_in_each() -> None:
    page = reader("all").get("/").content.decode()
    assert all(name in page for name in (*ALL_NAMES, "Lake Noodles", "Bund Noodles"))
    assert "What is going on today?" in page
    assert '<option value="all" selected>All cities</option>' in page
    assert 'hx-get="/sales/strip/?city=all"' in page
    strip = Client().get("/sales/strip/?city=all").content.decode()
    assert strip.count("Sale in") == 2
    assert all(f"· {city}" in strip for city in ("Hangzhou", "Shanghai"))
    assert "· Hangzhou" not in reader("hangzhou").get("/").content.decode()
    assert Client(HTTP_ACCEPT_LANGUAGE="zh").get("/?city=all").content.decode().count("所有城市") > 1


@pytest.mark.both_databases
@pytest.mark.parametrize("tab", ["", "?tab=new"])
def test_the_public_notes_are_of_the_chosen_city_or_of_all(tab: str) -> None:
    for city, names in (("", "Hangzhou"), ("shanghai", "Shanghai"), ("all", "Hangzhou Shanghai")):
        page = reader(city).get(f"/notes/{tab}").content.decode()
        for name in ("Hangzhou", "Shanghai"):
            assert (f"Note from {name}" in page) is (name in names.split())


def test_further_notes_stay_in_the_city_that_the_list_began_in(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.note(alice, shop=Shop.objects.get(name_en="Bund Noodles"), title="Second note")
    monkeypatch.setattr(paging, "PAGE_SIZE", 1)
    page = html.unescape(reader("shanghai").get("/notes/").content.decode())
    address = re.findall(r'"(/notes/\?[^"]*cursor=[^"]+)"', page)[0]
    further = Client().get(address, headers={"HX-Request": "true"}).content.decode()
    assert "Note from Shanghai" in further or "Second note" in further
    assert "Note from Hangzhou" not in further


@pytest.mark.both_databases
def test_a_list_of_all_cities_goes_by_what_is_popular() -> None:
    Shop.objects.update(popularity=Case(When(name_en="Bund Noodles", then=9), default=1))
    for path in ("/shops/?city=all", "/shops/?city=all&sort=distance"):
        page = Client().get(path).content.decode()
        assert page.index("Bund Noodles") < page.index("Lake Noodles")
        assert ">Nearest<" not in page.replace("\n", "").replace(" ", "")
        assert "?sort=rating&amp;city=all" in page
    assert "2 shops" in Client().get("/shops/?city=all", headers=FILTERED).content.decode()
    assert Client().get("/api/shops?city=all").json()["facets"]["area"]
    assert len(Client().get("/api/shops?city=all").json()["items"]) == 2
    assert Client().get("/api/shops?city=all&sort=distance").status_code == 422


def test_more_shops_of_all_cities_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearby, "PAGE_SIZE", 1)
    page = html.unescape(Client().get("/shops/?city=all").content.decode())
    address = re.findall(r'"(/shops/\?[^"]*cursor=[^"]+)"', page)[0]
    assert "city=all" in address
    seen = page + Client().get(address, headers={"HX-Request": "true"}).content.decode()
    assert "Bund Noodles" in seen
    assert "Lake Noodles" in seen


def test_a_map_of_all_cities_begins_in_the_first_and_forgets_no_choice() -> None:
    client = Client()
    page = client.get("/shops/map/?city=all").content.decode()
    assert "Map of Hangzhou" in page
    assert client.get("/").content.decode().count("Sale in") >= 1
    client.get("/shops/?city=all")
    assert "Map of Hangzhou" in client.get("/shops/map/").content.decode()
    assert '<option value="all" selected>' in client.get("/").content.decode()


@pytest.mark.parametrize("order", ["relevance", "distance", "popular"])
def test_a_search_in_all_cities_finds_the_shops_of_each(order: str) -> None:
    rebuilding.rebuild_kind(findable_shops.NAME)
    found = Client().get(f"/search/?q=noodles&kind=shops&order={order}&city=all")
    assert found.status_code == 200
    page = found.content.decode()
    assert "Bund" in page
    assert "Lake" in page
    near = Client().get("/search/?q=noodles&kind=shops&km=1&city=all")
    assert near.status_code == 200


def test_one_city_has_no_choice_of_all() -> None:
    City.objects.filter(slug="shanghai").delete()
    cities.forget()
    page = reader("all").get("/").content.decode()
    assert 'value="all"' not in page
    assert "Sale in Hangzhou" in page


def test_no_city_takes_the_name_of_all() -> None:
    with pytest.raises(ValidationError, match="choose another name"):
        CityFactory.build(slug="all").full_clean()


@pytest.mark.both_databases
def test_a_profile_may_choose_all_cities_wherever_one_lives(alice: User) -> None:
    client = buyers.browser_client(alice)
    form = {"nickname": "Alice", "city": "Shanghai", "shows_all_cities": "on"}
    assert client.post("/me/edit/", form).status_code == 302
    alice.refresh_from_db()
    assert (alice.city, alice.shows_all_cities) == ("Shanghai", True)
    assert client.get("/api/cities/here").json()["slug"] == "all"
    assert "checked" in client.get("/me/edit/").content.decode().partition("data-all-cities")[2][:200]
    client.post("/me/edit/", {"nickname": "Alice", "city": "Shanghai"})
    assert client.get("/api/cities/here").json()["slug"] == "shanghai"


@pytest.mark.parametrize(
    ("city", "kept"),
    [("shanghai", ["Jing'an"]), ("hangzhou", ["Xihu"]), ("all", ["Xihu", "Jing'an"]), ("atlantis", None)],
)
def test_an_area_goes_on_with_the_city_that_has_it(city: str, kept: list[str] | None) -> None:
    Shop.objects.filter(name_en="Lake Noodles").update(area_en="Xihu", area_zh="西湖")
    Shop.objects.filter(name_en="Bund Noodles").update(area_en="Jing'an", area_zh="静安")
    # As the form of the place sends it.
    before = {"area": ["Xihu", "Jing'an"], "sort": "rating", "city_before": "somewhere"}
    answer = Client().get("/shops/", before | {"city": city})
    given = parse_qs(urlsplit(answer["Location"]).query)
    assert given.get("area", []) == (before["area"] if kept is None else kept)
    assert (given["city"], given["sort"], "city_before" in given) == ([city], ["rating"], False)


@pytest.mark.parametrize("path", ["/shops/", "/shops/map/"])
@pytest.mark.parametrize("city", ["shanghai", "all"])
def test_links_to_other_shops_name_the_city(path: str, city: str) -> None:
    Shop.objects.filter(name_en="Bund Noodles").update(area_en="Jing'an", area_zh="静安")
    client, field = reader(city), f'<input type="hidden" name="city" value="{city}">'
    page = client.get(path).content.decode()
    assert field in page, "filters"
    assert f"?type=food&amp;city={city}" in page
    assert path.endswith("map/") or f"?sort=rating&amp;city={city}" in page
    filtered = client.get(f"{path}?area=Jing'an", headers=FILTERED).content.decode()
    assert f'href="?city={city}"' in filtered, "without the area"
    assert reader("31.230,121.474").get(path).content.decode().count('type="hidden" name="city"') == 0
    around = client.get(f"{path}?shop={Shop.objects.latest('pk').pk}").content.decode()
    assert 'type="hidden" name="city"' not in around


def test_the_form_of_the_place_says_whose_areas_are_on() -> None:
    page = Client().get("/shops/?area=Xihu").content.decode()
    assert 'name="city_before" value="hangzhou"' in page
    assert "city_before" not in Client().get("/shops/").content.decode()


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
    monkeypatch.setattr(note_lists, "MAX_COMPARED", 1)
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
        found = finding.find_suggestions("noodles", "shops", city=cities.find(city) if city else None)
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
