"""Sales on the home page, on their own page, and the vouchers on a shop's page."""

import re
from typing import Any

import pytest
from django.db import connection
from django.template import Context, Template
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import views
from apps.coupons.catalog import offers
from apps.coupons.models import FlashSale, Voucher
from apps.shops.geo import cities
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import CityFactory

pytestmark = pytest.mark.django_db


def home_page_html() -> str:
    return Client().get("/sales/strip/").content.decode()


def home_page_phases() -> list[tuple[int, str | None]]:
    return [(one.voucher.pk, one.phase) for one in offers.list_for_home_page()]


def test_the_strip_shows_what_runs_then_what_comes_then_what_is_gone(
    make_sale: MakeSale, alice: User
) -> None:
    gone = make_sale(units=1)
    later, soon = make_sale(begins_in=9_000), make_sale(begins_in=600)
    running = make_sale(units=5)
    make_sale(ended=True)
    buyers.queue_order(gone, alice)
    # SQL does not know yet that the last unit is gone: Redis's count decides.
    assert home_page_phases() == [
        (running.pk, "running"),
        (soon.pk, "soon"),
        (later.pk, "soon"),
        (gone.pk, "sold_out"),
    ]
    html = home_page_html()
    assert f'href="/vouchers/{running.pk}/"' in html
    assert 'value="5" max="5"' in html
    assert html.count("data-countdown") == 3


def test_without_a_sale_the_strip_says_so(db: None) -> None:
    assert "No sale at the moment" in home_page_html()


def test_withdrawn_sales_and_hidden_shops_are_not_shown(sale: FlashSale) -> None:
    Voucher.objects.update(is_offered=False)
    assert home_page_phases() == []
    Voucher.objects.update(is_offered=True)
    Shop.objects.update(is_listed=False)
    assert home_page_phases() == []


@pytest.mark.both_databases
def test_a_citys_sales_are_not_looked_for_in_each_of_its_shops(sale: FlashSale) -> None:
    with CaptureQueriesContext(connection) as sent:
        found = offers.list_for_home_page(CityFactory.create())
    assert [one.voucher.pk for one in found] == [sale.pk]
    if connection.vendor == "sqlite":
        query = next(one["sql"] for one in sent if "begins_at" in one["sql"])
        with connection.cursor() as cursor:
            plan = str(cursor.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
        assert "SEARCH shops_shop USING INTEGER PRIMARY KEY" in plan


def test_without_redis_the_strip_counts_in_sql(sale: FlashSale, redis_away: None) -> None:
    assert home_page_phases() == [(sale.pk, "running")]
    assert 'value="10" max="10"' in home_page_html()


def test_the_strips_bars_move_alone(sale: FlashSale, alice: User) -> None:
    buyers.queue_order(sale, alice)
    html = Client().get(f"/sales/strip/?stock=1&shown={sale.pk}").content.decode()
    assert f'id="stock-{sale.pk}" hx-swap-oob="true"' in html
    assert 'value="9" max="10"' in html
    assert "flash-card" not in html


def costs(path: str, round_trips: list[object]) -> tuple[int, int]:
    round_trips.clear()
    with CaptureQueriesContext(connection) as caught:
        assert Client().get(path).status_code == 200
    return len(caught), len(round_trips)


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize(
    ("path", "lists"),
    [("/sales/strip/", 1), ("/sales/", 3), ("/sales/?tab=coming", 1), ("/sales/?tab=ended", 1)],
)
def test_twenty_sales_cost_as_much_as_ten(
    make_sale: MakeSale, round_trips: list[object], path: str, lists: int
) -> None:
    found = []
    cities.read()  # which each process knows for seconds
    for _ in range(2):
        for _ in range(10):
            make_sale()
            make_sale(begins_in=60)
            make_sale(ended=True)
        found.append(costs(path, round_trips))
    assert found == [(lists, lists), (lists, lists)]


@pytest.mark.parametrize(("tab", "begins_in"), [("coming", 600.0), ("ended", -7_200.0)])
def test_each_sale_is_under_its_tab(make_sale: MakeSale, tab: str, begins_in: float) -> None:
    sales = {begins: make_sale(begins_in=begins) for begins in (-60.0, 600.0, -7_200.0)}
    html = Client().get(f"/sales/?tab={tab}").content.decode()
    for begins, sale in sales.items():
        assert (f'href="/vouchers/{sale.pk}/"' in html) == (begins == begins_in)


def test_some_coming_and_ended_sales_stand_below_those_that_run(make_sale: MakeSale) -> None:
    for begins_in in (-60.0, 600.0, -7_200.0):
        for _ in range(offers.MAX_HOME_PAGE_CARDS):
            make_sale(begins_in=begins_in)
    html = Client().get("/sales/").content.decode()
    running, coming, ended = re.split('id="sales-(?:coming|ended)"', html)
    assert [len(re.findall('href="/vouchers/', part)) for part in (running, coming, ended)] == [
        offers.MAX_HOME_PAGE_CARDS,
        views.MAX_BELOW,
        views.MAX_BELOW,
    ]
    assert html.count("View all") == 2


def test_a_lone_ended_sale_leads_to_no_list_of_its_own(make_sale: MakeSale) -> None:
    make_sale(begins_in=-7_200.0)
    html = Client().get("/sales/").content.decode()
    assert 'id="sales-ended"' in html
    assert "?tab=" not in html


def test_an_unknown_tab_is_the_first_one(sale: FlashSale) -> None:
    assert f"/vouchers/{sale.pk}/" in Client().get("/sales/?tab=%22%3E").content.decode()
    assert "No sale is running" not in Client().get("/sales/?tab=x").content.decode()


@pytest.mark.both_databases
def test_each_tab_has_its_empty_state(db: None) -> None:
    words = {"": "No sale is running", "coming": "Nothing is announced yet", "ended": "No sale has ended yet"}
    for tab, said in words.items():
        assert said in Client().get(f"/sales/?tab={tab}").content.decode()


def shop_panel_html(shop: Shop) -> str:
    return Template("{% load coupons %}{% vouchers shop %}").render(Context({"shop": shop})).strip()


def test_a_shops_page_offers_its_vouchers(make_sale: MakeSale, voucher: Voucher) -> None:
    sale, over = make_sale(units=3), make_sale(ended=True)
    html = shop_panel_html(voucher.shop)
    assert html.index(f"/vouchers/{sale.pk}/") < html.index(f"/vouchers/{voucher.pk}/")
    assert f"/vouchers/{over.pk}/" not in html
    assert "¥49" in html


def test_lists_say_how_many_are_left_when_they_are_few(
    make_sale: MakeSale, alice: User, bob: User, charlie: User
) -> None:
    sale = make_sale(units=4)
    for person in (alice, bob):
        buyers.queue_order(sale, person)
    assert " left" not in shop_panel_html(sale.voucher.shop)
    assert 'stock__words" hidden' in Client().get("/sales/").content.decode()
    buyers.queue_order(sale, charlie)
    assert "1 left" in shop_panel_html(sale.voucher.shop)
    assert 'stock__words" hidden' not in Client().get("/sales/?again").content.decode()


def test_a_shop_without_vouchers_shows_no_panel(shop: Shop) -> None:
    assert shop_panel_html(shop) == ""


def test_the_panels_are_in_their_places(sale: FlashSale) -> None:
    for path, name in (("/", "sales"), (sale.voucher.shop.get_absolute_url(), "vouchers")):
        assert f'id="{name}"' in Client().get(path).content.decode()


@pytest.mark.one_server("trips to it are counted")
def test_a_shops_panel_costs_the_same_for_twenty(make_sale: MakeSale, shop: Shop, round_trips: Any) -> None:
    found = []
    for _ in range(2):
        for _ in range(10):
            make_sale()
        round_trips.clear()
        with CaptureQueriesContext(connection) as caught:
            shop_panel_html(shop)
        found.append((len(caught), len(round_trips)))
    assert found == [(1, 1), (1, 1)]


def test_a_phase_changes_with_the_clock(sale: FlashSale) -> None:
    now = timezone.now()
    for at, left, phase in [
        (sale.begins_at, 1, "running"),
        (sale.begins_at, 0, "sold_out"),
        (sale.ends_at, 1, "ended"),
        (now, 1, "running"),
    ]:
        assert offers.offer_phase(sale, left=left, now=at) == phase
