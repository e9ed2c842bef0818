"""Cities are rows: readers begin in them, and lists, rankings, maps and ads go by them."""

import asyncio
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from apps.ads import display
from apps.ads.admin.ads import list_places
from apps.rankings import rankings
from apps.shops import changes
from apps.shops.city_form import CityForm
from apps.shops.geo import cities, ground, large_cities, location
from apps.shops.models import City, Shop
from apps.uv import days
from tests import markup
from tests.factories import CityFactory, DailyVisitsFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
OSAKA: dict[str, Any] = {
    "slug": "osaka-fu",
    "name_en": "Osaka",
    "name_zh": "大阪",
    "lat": 34.69,
    "lng": 135.5,
}
ADD, LIST = "/admin/shops/city/add/", "/admin/shops/city/"


@pytest.fixture
def osaka() -> City:
    """The only city, with two shops of a district in it and two outside of its edges."""
    City.objects.all().delete()
    city = CityFactory.build(**OSAKA)
    changes.save_city(city)
    names = {"area_en": "Castle", "city_en": "Osaka"}
    makers.shop("Castle Sushi", lat=34.69, lng=135.51, **names)
    makers.shop("Castle Noodles", lat=34.70, lng=135.51, **names)
    for name in ("Kyoto Tea", "Kyoto Tofu"):
        makers.shop(name, lat=35.01, lng=135.77, area_en="Gion", city_en="Kyoto")
    makers.commit_and_index()
    return city


def test_pages_are_about_the_only_city(osaka: City, client: Client) -> None:
    home = markup.compact(client.get("/").content)
    assert "What is Osaka up to today?" in home
    assert "Castle Sushi" in home
    assert "Hangzhou" not in home
    assert "Kyoto Tea" not in client.get("/shops/").content.decode()
    assert "大阪" in client.get("/shops/", headers={"Accept-Language": "zh-CN"}).content.decode()
    assert client.get("/api/cities/here").json() == {"slug": "osaka-fu", "name": "Osaka"}
    assert client.get("/api/shops?city=hangzhou").json()["detail"].endswith(": osaka-fu")


def test_rankings_filters_districts_and_ads_follow_its_edges(osaka: City, client: Client) -> None:
    for shop in Shop.objects.all():
        DailyVisitsFactory.create(scope="shop", object_id=shop.pk)
    assert rankings.write_week(osaka, days.today()) == 2
    assert [one["name"] for one in ground.build()["districts"]] == [["Castle", "Castle"]]
    counted = client.get("/api/shops?city=osaka-fu").json()["facets"]["area"]
    assert [(one["label"], one["number"]) for one in counted] == [("Castle", 2)]
    subject = display.for_search(RequestFactory().get("/"), "sushi")
    assert list(subject.locations) == ["city:osaka", "everywhere"]
    assert "Osaka" in dict(list_places()).values()


@pytest.mark.parametrize(
    "place",
    [
        "https://www.openstreetmap.org/#map=12/35.0116/135.7681",
        "https://www.openstreetmap.org/?mlat=35.0116&mlon=135.7681#map=5/1/2",
        "https://www.google.com/maps/place/Kyoto/@35.0116,135.7681,12z/data=!3m1",
        "35.0116, 135.7681",
    ],
)
def test_a_city_is_placed_by_a_map_s_address(place: str) -> None:
    form = CityForm({"name_en": "Kyoto", "slug": "kyoto", "position": 9, "from_map": place})
    assert form.is_valid(), form.errors
    assert (form.instance.lat, form.instance.lng) == (35.0116, 135.7681)
    assert form.instance.south < 35.0116 < form.instance.north


@pytest.mark.parametrize(
    "box", ["135.6,34.9,135.9,35.1", "https://x.test/export?bbox=135.6%2C34.9%2C135.9%2C35.1"]
)
def test_a_city_s_edges_are_a_map_s_rectangle(box: str) -> None:
    sent = {"name_en": "Kyoto", "slug": "kyoto", "position": 9, "lat": 1, "lng": 2, "from_map": box}
    form = CityForm(sent)
    assert form.is_valid(), form.errors
    city = form.instance
    assert (city.west, city.south, city.east, city.north) == (135.6, 34.9, 135.9, 35.1)
    assert (city.lat, city.lng) == (35.0, 135.75)


@pytest.mark.parametrize("sent", [{}, {"from_map": "Kyoto"}, {"from_map": "95.1, 135"}])
def test_a_city_without_a_place_is_refused(sent: dict[str, str]) -> None:
    form = CityForm({"name_en": "Little Kyoto", "slug": "kyoto", "position": 9} | sent)
    assert not form.is_valid()


@pytest.mark.parametrize("name", [{"name_en": " kyoto"}, {"name_zh": "京都市"}])
@pytest.mark.parametrize(("reach", "metres"), [("", 10_000), ("20", 20_000)])
def test_a_large_city_needs_its_name_alone(name: dict[str, str], reach: str, metres: int) -> None:
    form = CityForm({"position": 9, "reach": reach} | name)
    assert form.is_valid(), form.errors
    city = form.instance
    assert (city.slug, city.time_zone) == ("kyoto", "Asia/Tokyo")
    assert {city.name_en, city.name_zh} & {"Kyoto", "京都"}
    assert (city.lat, city.lng) == (35.01, 135.77)
    assert city.radius_m == pytest.approx(metres, rel=0.02)


def test_what_is_written_of_a_large_city_stays() -> None:
    sent = {"name_en": "Kyoto", "name_zh": "京", "slug": "old", "time_zone": "Asia/Seoul", "position": 9}
    form = CityForm(sent | {"lat": 35.5, "lng": 135.5})
    assert form.is_valid(), form.errors
    city = form.instance
    assert (city.name_zh, city.slug, city.time_zone, city.lat) == ("京", "old", "Asia/Seoul", 35.5)


def test_each_large_city_may_be_opened() -> None:
    for known in large_cities.ALL:
        form = CityForm({"name_zh": known.name_zh, "position": 9, "slug": "any", "reach": "40"})
        assert form.is_valid(), (known, form.errors)
        assert form.instance.name_en == known.name_en


def test_a_city_s_box_gets_another_size(boss: Client) -> None:
    city = City.objects.get(slug="shanghai")
    edges = {name: str(getattr(city, name)) for name in ("lat", "lng", "south", "west", "north", "east")}
    sent = {"name_en": city.name_en, "position": "2", "is_open": "on", "reach": "20"} | edges
    page = f"{LIST}{city.pk}/change/"
    assert boss.post(page, sent).status_code == 302
    city.refresh_from_db()
    assert city.radius_m == pytest.approx(20_000, rel=0.02)
    assert "40 × 40 km · 0 shops in it" in boss.get(page).content.decode()


def test_a_list_reaches_as_far_as_its_city(osaka: City, client: Client) -> None:
    assert "Kyoto Tea" not in client.get("/shops/?city=osaka-fu").content.decode()
    osaka.north, osaka.east = 35.1, 135.95
    changes.save_city(osaka)
    assert "Kyoto Tea" in client.get("/shops/?city=osaka-fu").content.decode()
    assert [one["name"][0] for one in ground.build()["districts"]] == ["Castle", "Gion"]


def test_a_city_is_found_by_its_name_in_either_language(osaka: City) -> None:
    assert [cities.find_by_name(name) for name in ("OSAKA", "大阪", "osaka-fu")] == [osaka] * 3
    assert [cities.find_by_name(name) for name in ("", "Osak", "Kyoto")] == [None] * 3


def test_a_closed_city_is_on_no_page(client: Client) -> None:
    closed = City.objects.get(slug="hangzhou")
    closed.is_open = False
    changes.save_city(closed)
    page = client.get("/?city=hangzhou").content.decode()
    assert "Shanghai" in page
    assert "Hangzhou" not in page


@pytest.mark.both_databases
def test_a_site_without_cities_shows_its_shops_and_names_none(client: Client) -> None:
    City.objects.all().delete()
    makers.shop_type()
    for path in ("/", "/shops/", "/shops/map/", "/rankings/", "/api/rankings?type=food"):
        page = client.get(path)
        assert page.status_code == 200
        assert "Hangzhou" not in page.content.decode()
        assert 'id="locate-city"' not in page.content.decode()
    assert client.get("/api/cities/here").json() == {"slug": "", "name": "your city"}
    makers.shop("Far Sushi", lat=34.69, lng=135.51)
    makers.commit_and_index()
    cities.forget()
    assert "Far Sushi" in client.get("/shops/").content.decode()
    assert "你的城市" in client.get("/", headers={"Accept-Language": "zh-CN"}).content.decode()


def test_cities_cost_a_query_once_in_seconds() -> None:
    with CaptureQueriesContext(connection) as queries:
        for _ in range(5):
            assert cities.find("shanghai")
            assert cities.nearest(cities.first().centre).slug == "hangzhou"
    assert len(queries) == 1


def test_another_process_s_change_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(cities.read()) == 2
    CityFactory.create(**OSAKA)
    assert len(cities.read()) == 2
    monkeypatch.setattr(cities, "FRESH_SECONDS", -1)
    assert len(cities.read()) == 3


def test_an_event_loop_never_waits_for_sql() -> None:
    async def choose() -> str | None:
        return location.read_city("shanghai")

    assert asyncio.run(choose()) is None
    cities.read()
    assert asyncio.run(choose()) == "shanghai"
    assert location.read_city("hangzhou") == location.read_city("elsewhere") == ""


def fill(**changed: str) -> dict[str, str]:
    """The form of a city at Osaka."""
    written = {name: str(value) for name, value in OSAKA.items()} | {"position": "1", "is_open": "on"}
    written["opens_empty"] = "on"
    return written | dict.fromkeys(("south", "west", "north", "east"), "") | changed


def test_a_manager_adds_a_city_and_its_edges_are_around_it(boss: Client) -> None:
    assert boss.post(ADD, fill()).status_code == 302
    city = City.objects.get(slug="osaka-fu")
    assert city.bounds.contains(34.69, 135.5)
    assert 9_900 < city.radius_m < 10_200
    assert cities.find("osaka-fu")
    assert "大阪" in boss.get(LIST).content.decode()


def test_a_closed_city_leads_to_the_import_of_its_shops(boss: Client) -> None:
    form = {name: value for name, value in fill().items() if name != "is_open"}
    page = boss.post(ADD, form, follow=True).content.decode()
    assert "Nobody sees Osaka yet." in page
    assert "href='/admin/shops/shop/import/'" in page


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"lat": "120"}, "Latitudes go from"),
        ({"lat": "nan"}, "Enter a number"),
        ({"south": "34"}, "Write all four edges"),
        ({"south": "34", "north": "34.5", "west": "135", "east": "136"}, "must lie between the edges"),
        ({"south": "35", "north": "34", "west": "135", "east": "136"}, "south below north"),
        ({"south": "34", "north": "35", "west": "135", "east": "999"}, "south below north"),
        ({"south": "30", "north": "40", "west": "130", "east": "140"}, "100 km across"),
        ({"name_en": "", "name_zh": ""}, "in one language at least"),
        ({"slug": "Osaka_Fu"}, "small letters, digits and single hyphens"),
        ({"slug": "hangzhou"}, "already exists"),
        ({"slug": "x" * 41}, "at most 40 characters"),
        ({"position": str(2**63)}, "less than or equal to"),
        ({"name_en": "Osa\x00ka"}, "Null characters are not allowed"),
    ],
)
def test_a_wrong_city_is_refused_with_a_sentence(
    boss: Client, changed: dict[str, str], sentence: str
) -> None:
    answer = boss.post(ADD, fill(**changed))
    assert answer.status_code == 200
    assert sentence in answer.content.decode()
    assert City.objects.count() == 2


def test_a_slug_stays_and_a_city_can_be_taken_out(boss: Client) -> None:
    city = City.objects.get(slug="shanghai")
    cities.read()
    boss.post(f"{LIST}{city.pk}/change/", fill(slug="other", position="2"))
    city.refresh_from_db()
    assert (city.slug, city.name_zh) == ("shanghai", "大阪")
    assert boss.post(f"{LIST}{city.pk}/delete/", {"post": "yes"}).status_code == 302
    assert [one.slug for one in cities.read()] == ["hangzhou"]
