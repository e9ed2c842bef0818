import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from apps.shops import api
from apps.shops.lists import json_rows
from tests.shops import makers

pytestmark = pytest.mark.django_db
HERE = {"lat": str(makers.LAT), "lng": str(makers.LNG)}


@pytest.mark.both_databases
def test_the_types_come_in_their_order(client: Client) -> None:
    for position, slug in enumerate(("spa", "food"), start=1):
        made = makers.shop_type(slug)
        made.position = position
        made.save()
    found = client.get("/api/shop-types").json()
    assert [kind["slug"] for kind in found] == ["spa", "food"]
    assert set(found[0]) >= {"id", "name", "icon"}


def test_a_page_of_shops_near_a_place(client: Client) -> None:
    made = makers.shops(25)
    makers.commit_and_index()
    first = client.get("/api/shops", HERE | {"sort": "distance", "radius_m": "1000"}).json()
    assert [shop["id"] for shop in first["items"]] == [shop.pk for shop in made[:20]]
    assert first["items"][1]["distance_m"] == pytest.approx(10, abs=1)
    assert (first["items"][0]["price"], first["items"][0]["currency"]) == (8_800, "CNY")
    assert first["items"][0]["rating"] == 4.5
    more = HERE | {"sort": "distance", "radius_m": "1000", "cursor": first["next"]}
    second = client.get("/api/shops", more).json()
    assert [shop["id"] for shop in second["items"]] == [shop.pk for shop in made[20:]]
    assert second["next"] is None


def test_a_box_finds_what_the_map_shows(client: Client) -> None:
    made = makers.shops(3)
    makers.shop("Far", lat=makers.LAT + 0.5)
    makers.commit_and_index()
    window = {"south": str(makers.LAT - 0.01), "north": str(makers.LAT + 0.01)}
    sides = {"west": str(makers.LNG - 0.01), "east": str(makers.LNG + 0.01)}
    found = client.get("/api/shops", window | sides).json()
    assert {shop["id"] for shop in found["items"]} == {shop.pk for shop in made}


def test_without_a_place_shops_have_no_distance(client: Client) -> None:
    makers.shops(2)
    found = client.get("/api/shops").json()
    assert [shop["distance_m"] for shop in found["items"]] == [None, None]


def test_a_type_without_shops_is_an_empty_list(client: Client) -> None:
    makers.shops(2)
    makers.commit_and_index()
    found = client.get("/api/shops", HERE | {"type": str(makers.shop_type("spa").pk)}).json()
    assert found == {"items": [], "next": None}


@pytest.mark.both_databases
def test_a_type_is_named_by_its_id_or_its_slug(client: Client) -> None:
    makers.shops(2)
    spa = makers.shop("Still Water", type="spa")
    makers.commit_and_index()
    for named in (str(spa.type_id), "spa"):
        found = client.get("/api/shops", HERE | {"type": named}).json()["items"]
        assert [shop["id"] for shop in found] == [spa.pk]


BAD = [
    {"type": "99999"},
    {"type": "zoo"}, {"type": "ｓｐａ"}, {"type": "spa\n"}, {"type": "1e3"}, {"type": "-1"},
    {"lat": "NaN", "lng": "120"}, {"lat": "1e400", "lng": "120"}, {"lat": "91", "lng": "120"},
    {"lat": "-85.06", "lng": "120"}, {"lat": "30", "lng": "180.1"}, {"lat": "30"}, {"lng": "120"},
    {"lat": "here", "lng": "120"}, {"lat": "inf", "lng": "120"}, HERE | {"radius_m": "0"},
    HERE | {"radius_m": "50001"}, HERE | {"radius_m": "1.5"}, HERE | {"radius_m": "1e3"},
    HERE | {"radius_m": "-1"}, HERE | {"radius_m": str(2**63)}, HERE | {"type": "0"},
    HERE | {"type": str(2**63)}, HERE | {"type": "food"}, HERE | {"sort": "name"}, {"sort": "distance"},
    {"south": "1"}, {"south": "2", "north": "1", "west": "1", "east": "2"},
    {"south": "1", "north": "2", "west": "2", "east": "1"}, HERE | {"cursor": "x" * 1_001},
    {"south": "1", "north": "nan", "west": "1", "east": "2"},
]  # fmt: skip


@pytest.mark.parametrize("given", BAD)
def test_what_is_off_the_map_is_refused(client: Client, given: dict[str, str]) -> None:
    answer = client.get("/api/shops", given)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "invalid"


@pytest.mark.parametrize("cursor", ["WzFd:1abc:def", "é"])
def test_a_forged_cursor_is_refused(client: Client, cursor: str) -> None:
    makers.shops(2)
    makers.commit_and_index()
    for query in (HERE, HERE | {"sort": "price"}, {"sort": "price"}):
        answer = client.get("/api/shops", query | {"cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_cursor")


def test_one_shop_says_all_about_itself(client: Client) -> None:
    made = makers.shop()
    found = client.get(f"/api/shops/{made.pk}").json()
    assert (found["id"], found["name"], found["phone"]) == (made.pk, made.name, made.phone)
    assert found["type"]["slug"] == "food"


@pytest.mark.both_databases
@pytest.mark.parametrize(("shop", "status"), [("999", 404), ("0", 422), (str(2**63), 422), ("x", 422)])
def test_a_shop_that_is_not_there(client: Client, shop: str, status: int) -> None:
    assert client.get(f"/api/shops/{shop}").status_code == status


def test_an_unlisted_shop_is_not_there(client: Client) -> None:
    made = makers.shop(is_listed=False)
    assert client.get(f"/api/shops/{made.pk}").status_code == 404
    assert client.get(made.get_absolute_url()).status_code == 404
    assert client.get(f"/covers/{made.pk}.svg").status_code == 404


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize("sort", ["distance", "rating", "popular", "price"])
@pytest.mark.parametrize("path", ["/api/shops", "/shops/", "/shops/map/"])
def test_twenty_rows_cost_what_ten_cost(
    client: Client, round_trips: list[object], path: str, sort: str
) -> None:
    client.cookies["savor_where"] = f"{makers.LAT},{makers.LNG}"
    place = HERE if path.startswith("/api/") else {}

    def cost() -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path, place | {"sort": sort}).status_code == 200
        return len(captured), len(round_trips)

    makers.shops(10)
    makers.commit_and_index()
    cost()
    few = cost()
    makers.shops(10, lat=makers.LAT, type="spa")
    makers.commit_and_index()
    assert cost() == few


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_row_is_what_its_schema_says(language: str) -> None:
    """Lists are written without the schema that documents them: both say the same, in the same order."""
    made = makers.shops(2)
    made[1].picture, made[1].distance_m, made[1].hours_en = "shops/7.webp", 350, "by appointment"
    with translation.override(language):
        for shop in made:
            documented = api.ShopOut.model_validate(shop).model_dump(exclude_unset=True)
            assert list(json_rows.build(shop)) == list(documented)
            assert json_rows.build(shop) == documented


def test_answers_are_what_their_schemas_say(client: Client) -> None:
    made = makers.shop()
    makers.commit_and_index()
    one = client.get(f"/api/shops/{made.pk}").json()
    paths = {"url": made.get_absolute_url(), "cover_url": made.cover_url}
    addresses = {name: f"http://testserver{path}" for name, path in paths.items()}
    documented = api.ShopDetailOut.model_validate(made).model_dump(exclude_unset=True, mode="json")
    assert one == documented | addresses
    (row,) = client.get("/api/shops", HERE).json()["items"]
    made.distance_m = 0
    assert row == api.ShopOut.model_validate(made).model_dump(exclude_unset=True) | addresses


@pytest.mark.both_databases
def test_texts_are_in_the_language_of_the_request_and_in_both_if_asked(client: Client) -> None:
    made = makers.shop("Third Floor Hot Pot", name_zh="三楼火锅")
    makers.commit_and_index()
    chinese = {"Accept-Language": "zh-CN"}
    for path, query in (("/api/shops", HERE), (f"/api/shops/{made.pk}", {})):
        answers = [
            client.get(path, query, headers=chinese).json(),
            client.get(path, query | {"all_languages": "1"}, headers=chinese).json(),
        ]
        plain, both = (answer["items"][0] if "items" in answer else answer for answer in answers)
        assert (plain["name"], plain["area"], plain["type"]["name"]) == ("三楼火锅", "West Lake", "美食")
        assert "texts" not in plain | plain["type"]
        assert both["texts"]["en"].items() >= {"name": "Third Floor Hot Pot", "area": "West Lake"}.items()
        assert both["texts"]["zh-hans"].items() >= {"name": "三楼火锅", "area": ""}.items()
        assert both["type"]["texts"] == {"en": {"name": "Food"}, "zh-hans": {"name": "美食"}}
    (kind,) = client.get("/api/shop-types", {"all_languages": "1"}).json()
    assert kind == plain["type"] | {"name": "Food"} | {"texts": both["type"]["texts"]}
