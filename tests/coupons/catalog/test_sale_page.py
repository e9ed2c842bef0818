"""The sale page that everybody gets: its button's states, with and without Redis."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import sale_page
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.redis_kit import client
from apps.shops import changes
from apps.shops.models import Shop
from tests import markup
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.sale_page_html import button_state
from tests.web.test_page_metadata import read_metadata

pytestmark = pytest.mark.django_db


def sale_page_html(sale: FlashSale, user: User | None = None) -> str:
    browser = buyers.browser_client(user) if user else Client()
    answer = browser.get(f"/vouchers/{sale.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_before_it_begins_the_countdown_runs(make_sale: MakeSale) -> None:
    html = sale_page_html(make_sale(begins_in=60))
    assert button_state(html) == "soon"
    assert "data-countdown" in html


def test_while_it_runs_one_can_grab(sale: FlashSale) -> None:
    html = markup.compact(sale_page_html(sale).encode())
    assert button_state(html) == "open"
    assert f'<form method="post" action="/vouchers/{sale.pk}/grab/">' in html
    assert '<progress class="stock__bar" value="10" max="10"' in html
    assert f'data-login="/login/?next=%2Fvouchers%2F{sale.pk}%2F"' in html


def test_it_is_the_same_page_for_who_has_one_already(sale: FlashSale, alice: User, bob: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    pages = {sale_page_html(sale, who) for who in (alice, bob, None)}
    assert len(pages) == 1
    assert f"/orders/{order_id}/" not in pages.pop()


def test_without_units_it_is_sold_out(make_sale: MakeSale, bob: User) -> None:
    sale = make_sale(units=1)
    buyers.queue_order(sale, bob)
    assert button_state(sale_page_html(sale)) == "sold_out"


def test_after_its_end_it_is_over(make_sale: MakeSale) -> None:
    html = sale_page_html(make_sale(ended=True))
    assert (button_state(html), "stock__bar" in html) == ("ended", False)


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_page_stands_with_the_stock_of_sql(make_sale: MakeSale) -> None:
    html = sale_page_html(make_sale(loaded=False))
    assert button_state(html) == "open"
    assert 'value="10" max="10"' in html


@pytest.mark.parametrize("code", sorted(sale_page.SENTENCES))
def test_the_reason_of_a_refusal_is_said(sale: FlashSale, code: str) -> None:
    html = Client().get(f"/vouchers/{sale.pk}/?reason={code}").content.decode()
    assert escape(str(sale_page.SENTENCES[code])) in html


def test_a_reason_that_nobody_gives_is_not_said(sale: FlashSale) -> None:
    html = Client().get(f"/vouchers/{sale.pk}/?reason=<b>pay+here</b>").content.decode()
    assert "pay here" not in html
    assert "notice" not in html


@pytest.mark.parametrize("number", ["0", str(2**63), "1_000", "１"])
@pytest.mark.parametrize("place", ["vouchers/{}/", "orders/{}/", "orders/{}/state/"])
def test_what_is_no_id_is_no_page(number: str, place: str, alice: User) -> None:
    assert buyers.browser_client(alice).get(f"/{place.format(number)}").status_code == 404


def test_a_voucher_that_was_taken_off_leads_to_its_shop(voucher: Voucher) -> None:
    Voucher.objects.update(is_offered=False)
    gone = Client().get(f"/vouchers/{voucher.pk}/")
    page = markup.compact(gone.content)
    assert gone.status_code == 410
    assert "This sale has ended" in page
    assert f'href="{voucher.shop.get_absolute_url()}"' in page
    assert voucher.title not in page


def test_a_voucher_that_is_not_out_yet_has_no_page(voucher: Voucher) -> None:
    Voucher.objects.update(is_offered=False, publish_at=timezone.now() + timedelta(hours=1))
    assert Client().get(f"/vouchers/{voucher.pk}/").status_code == 404


def test_the_shop_of_a_voucher_is_listed_or_it_has_no_page(voucher: Voucher) -> None:
    Voucher.objects.update(is_offered=False)
    changes.update(Shop.objects.filter(pk=voucher.shop_id), is_listed=False)
    assert Client().get(f"/vouchers/{voucher.pk}/").status_code == 404


# -- ordinary vouchers --------------------------------------------------------------------------


def test_the_time_to_pay_is_the_one_in_force(voucher: Voucher, settings: Settings) -> None:
    settings.PAY_WITHIN = timedelta(minutes=42)
    assert "You have 42 minutes to pay." in markup.compact(Client().get(f"/vouchers/{voucher.pk}/").content)


@pytest.mark.both_databases
def test_an_ordinary_voucher_is_bought_once_by_its_form(voucher: Voucher, alice: User) -> None:
    browser = buyers.browser_client(alice)
    html = browser.get(f"/vouchers/{voucher.pk}/").content.decode()
    assert (button_state(html), "Buy for ¥49" in html) == ("buy", True)
    answers = [browser.post(f"/vouchers/{voucher.pk}/buy/", {"request_token": "mine"}) for _ in range(2)]
    order = VoucherOrder.objects.get()
    assert [(one.status_code, one["Location"]) for one in answers] == [(303, f"/orders/{order.pk}/")] * 2
    again = browser.post(f"/vouchers/{voucher.pk}/buy/")
    assert again["Location"] == f"/orders/{order.pk}/"


def test_a_flash_sale_is_not_bought_past_its_queue(sale: FlashSale, alice: User) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/buy/")
    assert answer["Location"] == f"/vouchers/{sale.pk}/?reason=not_found"


def test_what_people_wrote_is_shown_as_text(voucher: Voucher, shop: Shop) -> None:
    Voucher.objects.update(title_en="<script>alert(1)</script>", rules_en="<img src=x onerror=alert(1)>")
    html = Client().get(f"/vouchers/{voucher.pk}/").content.decode()
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_the_window_of_the_page_is_the_servers(make_sale: MakeSale) -> None:
    sale = make_sale(begins_in=60)
    now = timezone.now()
    FlashSale.objects.update(begins_at=now - timedelta(seconds=1), revision=7)
    client.get().hset(keys.for_sale(sale.pk).sale, "begins", "1")
    assert button_state(sale_page_html(sale)) == "open"


def test_a_sale_is_an_offer_of_its_shop(client: Client, sale: FlashSale) -> None:
    properties, data = read_metadata(client, sale.voucher.get_absolute_url())
    assert properties["type"] == "product"
    assert (data["@type"], data["availability"]) == ("Offer", "https://schema.org/LimitedAvailability")
    assert (data["price"], data["priceCurrency"]) == (f"{sale.voucher.price / 100:.2f}", "CNY")
    assert data["offeredBy"]["name"] == sale.voucher.shop.name
    assert data["availabilityEnds"] == sale.ends_at.isoformat()
