import logging
from io import BytesIO
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from PIL import Image

from tests import markup
from tests.shops import makers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/", "/shops/", "/shops/map/", "/shops/?type=food&sort=price"])
def test_a_page_lists_shops_with_title_and_description(client: Client, path: str) -> None:
    made = makers.shop(lat=30.2565, lng=120.166)
    makers.commit_and_index()
    page = client.get(path)
    assert page.status_code == 200
    assert made.name in markup.compact(page.content)
    assert '<meta name="description" content="' in markup.compact(page.content)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/shops/?type=zoo", 404),
        ("/shops/?sort=size", 422),
        ("/shops/?cursor=zzz", 422),
        ("/shops/999/", 404),
        ("/shops/map/?south=1", 422),
        ("/shops/map/?south=x&north=1&west=1&east=2", 422),
        ("/covers/7.svg", 404),
    ],
)
def test_a_wrong_address_says_so(client: Client, path: str, status: int) -> None:
    makers.shop_type()
    assert client.get(path).status_code == status


def test_an_empty_neighbourhood_offers_a_way_on(client: Client) -> None:
    kind = makers.shop_type()
    makers.commit_and_index()
    page = markup.compact(client.get("/shops/?city=shanghai").content)
    assert "No shops here yet" in page
    assert "All types" not in page
    of_type = markup.compact(client.get(f"/shops/?city=shanghai&type={kind.slug}").content)
    assert "Nothing within 10 km" in of_type
    assert 'href="/shops/">All types' in of_type


def test_the_city_is_remembered(client: Client) -> None:
    makers.shop_type()
    makers.commit_and_index()
    client.get("/shops/?city=shanghai")
    assert "Shanghai" in markup.compact(client.get("/").content)
    assert "no-cache" in client.get("/")["Cache-Control"]


@pytest.mark.parametrize("cookie", ["", "zoo", "nan,nan", "1e400,0", "91,0", "x" * 5_000, "30.2,120.1,9"])
def test_a_broken_cookie_leads_to_the_first_city(client: Client, cookie: str) -> None:
    makers.shop_type()
    makers.commit_and_index()
    client.cookies["savor_where"] = cookie
    assert "Hangzhou" in markup.compact(client.get("/").content)


def test_the_more_link_leads_through_every_shop(client: Client) -> None:
    made = makers.shops(45, lat=30.2565, lng=120.166)
    makers.commit_and_index()
    seen: set[int] = set()
    address = "/shops/?city=hangzhou"
    while address:
        page = client.get(address)
        seen |= {card.shop.pk for card in page.context["cards"]}
        address = page.context["next_url"]
    assert seen == {shop.pk for shop in made}


def test_htmx_gets_rows_alone(client: Client) -> None:
    makers.shop(lat=30.2565, lng=120.166)
    makers.commit_and_index()
    rows = markup.compact(client.get("/shops/", headers={"HX-Request": "true"}).content)
    assert "shop-card" in rows
    assert "<html" not in rows


@pytest.mark.both_databases
def test_a_position_moves_from_the_address_to_the_cookie(client: Client) -> None:
    makers.shops(25)
    makers.commit_and_index()
    answer = client.get("/shops/?type=food&lat=30.2591&lng=120.1481&sort=rating")
    assert (answer.status_code, answer["Location"]) == (302, "/shops/?type=food&sort=rating")
    assert client.cookies["savor_where"].value == "30.259,120.148"
    page = client.get(answer["Location"])
    assert page.context["choice"].place.is_exact
    assert page.context["next_url"]
    assert "lat=" not in page.context["next_url"] + page.content.decode()


def test_a_map_around_a_shop_names_the_shop(client: Client) -> None:
    made = makers.shop("Lakeside", lat=31.2, lng=121.4)
    makers.commit_and_index()
    assert f"/shops/map/?shop={made.pk}" in client.get(made.get_absolute_url()).content.decode()
    page = client.get(f"/shops/map/?shop={made.pk}")
    assert "around Lakeside" in markup.compact(page.content)
    assert "savor_where" not in client.cookies
    for wrong in ("999999", "x", "9" * 30):
        assert client.get(f"/shops/map/?shop={wrong}").status_code == 404


def test_home_is_the_page_of_the_city_that_the_cookie_names(client: Client) -> None:
    makers.shop_type()
    for chosen, city in (("shanghai", "Shanghai"), ("31.2,121.4", "Shanghai"), ("", "Hangzhou")):
        client.cookies["savor_where"] = chosen
        page = client.get("/")
        assert f"What is {city} up to today?" in markup.compact(page.content)
        assert "Set-Cookie" not in page


@pytest.mark.both_databases
def test_the_ground_knows_districts_and_tiles_only_if_there_are_any(client: Client) -> None:
    makers.shops(2, area_en="Hubin", area_zh="湖滨")
    told = client.get("/shops/map/ground/").json()
    assert [one["name"] for one in told["districts"]] == [["Hubin", "湖滨"]]
    assert {shape["kind"] for shape in told["shapes"]} == {"water", "green", "canal", "street"}
    assert told["tiles"] == ""


def test_a_name_with_markup_is_shown_as_text(client: Client) -> None:
    made = makers.shop("<script>alert(1)</script>", about_en="<img src=x onerror=alert(1)>")
    for path in (made.get_absolute_url(), f"/shops/map/?shop={made.pk}"):
        page = markup.compact(client.get(path).content)
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_a_part_that_fails_is_logged_and_left_out(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    def without_vouchers(execute: Any, sql: str, *others: Any) -> Any:
        if "coupons_voucher" in sql:
            raise OperationalError("no vouchers today")
        return execute(sql, *others)

    made = makers.shop("Tea")
    with connection.execute_wrapper(without_vouchers), caplog.at_level(logging.ERROR):
        page = client.get(made.get_absolute_url())
    assert page.status_code == 200
    assert 'id="notes-title"' in page.content.decode()
    assert "page part vouchers failed" in caplog.text
    assert "no vouchers today" in caplog.text


def test_a_cover_is_drawn_once_and_kept(client: Client) -> None:
    made = makers.shop()
    first = client.get(f"/covers/{made.pk}.svg")
    assert first["Content-Type"] == "image/svg+xml"
    assert "max-age=604800" in first["Cache-Control"]
    assert first["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in first["Content-Security-Policy"]
    again = client.get(f"/covers/{made.pk}.svg", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_shop_page_has_its_actions_at_hand(client: Client) -> None:
    made = makers.shop(lat=30.2565, lng=120.166, hours_en="24 hours")
    page = markup.compact(client.get(made.get_absolute_url()).content)
    bar = page.partition('<div class="actions"')[2].partition('<div class="split"')[0]
    assert bar.index(f'data-save-shop="{made.pk}"') < bar.index(f"/chats/share/?kind=shop&amp;id={made.pk}")
    assert 'href="#directions"' in bar
    assert 'href="#where"' in bar
    assert 'href="tel:057187000001"' in bar
    assert page.index("8 Nanshan Road") < page.index('<section class="section"')
    facts = page.partition('<ul class="shop-lines">')[2].partition("</ul>")[0]
    assert facts.count("24 hours") == 1


def test_a_drawn_cover_comes_as_a_png_in_a_few_widths(client: Client) -> None:
    path = f"/covers/{makers.shop().pk}.png"
    etags = set()
    for width in (160, 960):
        drawn = client.get(path, {"width": width})
        assert Image.open(BytesIO(drawn.getvalue())).size == (width, width * 3 // 4)
        etags.add(drawn["ETag"])
    assert len(etags) == 2
    assert client.get(path, {"width": 161}).status_code == 422
