"""The sale page: its one button in every state, with and without JavaScript, with and without Redis."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.redis_kit import client
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.sale_page_html import button_state, request_token_in

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def sale_page_html(sale: FlashSale, user: User | None = None) -> str:
    browser = buyers.browser_client(user) if user else Client()
    answer = browser.get(f"/vouchers/{sale.pk}/")
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    return answer.content.decode()


def test_before_it_begins_the_countdown_runs(make_sale: MakeSale, alice: User) -> None:
    html = sale_page_html(make_sale(begins_in=60), alice)
    assert button_state(html) == "soon"
    assert 'data-then="open"' in html
    # The button is there already: the browser shows it at zero.
    assert "/grab/" in html


def test_before_it_begins_a_visitor_may_log_in(make_sale: MakeSale) -> None:
    sale = make_sale(begins_in=60)
    html = sale_page_html(sale)
    assert button_state(html) == "soon"
    assert f"/login/?next=%2Fvouchers%2F{sale.pk}%2F" in html
    assert "/grab/" not in html


def test_while_it_runs_one_can_grab(sale: FlashSale, alice: User) -> None:
    html = sale_page_html(sale, alice)
    assert button_state(html) == "open"
    assert f'hx-post="/vouchers/{sale.pk}/grab/"' in html
    assert '<progress class="stock__bar" value="10" max="10"' in html
    assert "csrfmiddlewaretoken" in html
    assert request_token_in(html) != request_token_in(sale_page_html(sale, alice))


def test_a_visitor_logs_in_first_and_comes_back(sale: FlashSale) -> None:
    html = sale_page_html(sale)
    assert button_state(html) == "login"
    assert f"/login/?next=%2Fvouchers%2F{sale.pk}%2F" in html


def test_who_has_one_is_led_to_the_order(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    html = sale_page_html(sale, alice)
    assert button_state(html) == "have"
    assert f"/orders/{order_id}/" in html


def test_a_recorded_order_is_known_without_redis(sale: FlashSale, alice: User, redis_away_now: Any) -> None:
    order = buyers.create_order(sale, alice)
    browser = buyers.browser_client(alice)
    redis_away_now()
    html = browser.get(f"/vouchers/{sale.pk}/").content.decode()
    assert (button_state(html), f"/orders/{order.pk}/" in html) == ("have", True)


def test_without_units_it_is_sold_out(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale = make_sale(units=1)
    buyers.queue_order(sale, bob)
    assert button_state(sale_page_html(sale, alice)) == "sold_out"
    assert button_state(sale_page_html(sale)) == "sold_out"


def test_after_its_end_it_is_over(make_sale: MakeSale, alice: User) -> None:
    html = sale_page_html(make_sale(begins_in=-60, lasts=30), alice)
    assert button_state(html) == "ended"
    assert "/grab/" not in html or 'data-when="ended"' in html


def test_without_redis_the_page_stands_and_lets_one_try(
    sale: FlashSale, alice: User, redis_away_now: Any
) -> None:
    browser = buyers.browser_client(alice)
    redis_away_now()
    html = browser.get(f"/vouchers/{sale.pk}/").content.decode()
    assert button_state(html) == "retry"
    # Nothing is bought by a page that was only opened.
    assert "data-retry-after" not in html
    assert 'value="10" max="10"' in html


def test_a_sale_that_is_not_loaded_lets_one_try(make_sale: MakeSale, alice: User) -> None:
    assert button_state(sale_page_html(make_sale(loaded=False), alice)) == "retry"


@pytest.mark.parametrize("number", ["0", "-1", str(2**63), str(10**30), "1_000", "１", "01", "1.0", "x"])
@pytest.mark.parametrize("place", ["vouchers/{}/", "vouchers/{}/stock/", "orders/{}/", "orders/{}/state/"])
def test_what_is_no_id_is_no_page(number: str, place: str, alice: User) -> None:
    assert buyers.browser_client(alice).get(f"/{place.format(number)}").status_code == 404


def test_a_withdrawn_voucher_has_no_page(voucher: Voucher) -> None:
    Voucher.objects.update(is_offered=False)
    assert Client().get(f"/vouchers/{voucher.pk}/").status_code == 404


# -- the stock bar ------------------------------------------------------------------------------


def poll_stock(sale: FlashSale, shown: str, user: User | None = None) -> Any:
    browser = buyers.browser_client(user) if user else Client()
    return browser.get(f"/vouchers/{sale.pk}/stock/?shown={shown}", headers=HTMX)


def test_the_bar_moves_alone_while_the_button_stays(sale: FlashSale, alice: User, bob: User) -> None:
    buyers.queue_order(sale, bob)
    answer = poll_stock(sale, "open", alice)
    assert "HX-Retarget" not in answer
    assert 'value="9" max="10"' in answer.content.decode()
    assert 'hx-trigger="every 2s, live"' in answer.content.decode()
    assert 'id="grab"' not in answer.content.decode()


def test_the_last_unit_takes_the_button_away(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale = make_sale(units=1)
    buyers.queue_order(sale, bob)
    answer = poll_stock(sale, "open", alice)
    assert (answer["HX-Retarget"], button_state(answer.content.decode())) == ("#grab", "sold_out")
    assert 'hx-trigger="every 10s, live"' in answer.content.decode()


def test_a_unit_that_comes_back_brings_the_button_back(sale: FlashSale, alice: User) -> None:
    answer = poll_stock(sale, "sold_out", alice)
    assert (answer["HX-Retarget"], button_state(answer.content.decode())) == ("#grab", "open")


def test_a_bar_that_can_not_move_asks_no_more(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale()
    buyers.queue_order(sale, alice)
    assert "hx-get" not in poll_stock(sale, "have", alice).content.decode()
    assert "hx-get" not in poll_stock(make_sale(begins_in=-60, lasts=1), "ended").content.decode()


def test_before_the_start_the_bar_waits_for_it(make_sale: MakeSale) -> None:
    assert 'hx-trigger="load delay:' in poll_stock(make_sale(begins_in=60), "soon").content.decode()
    assert "hx-get" not in poll_stock(make_sale(begins_in=172_800), "soon").content.decode()


# -- ordinary vouchers --------------------------------------------------------------------------


def test_an_ordinary_voucher_is_bought_from_its_page(voucher: Voucher, alice: User) -> None:
    browser = buyers.browser_client(alice)
    html = browser.get(f"/vouchers/{voucher.pk}/").content.decode()
    assert (button_state(html), "Buy for ¥49" in html) == ("buy", True)
    form = {"request_token": request_token_in(html)}
    answers = [browser.post(f"/vouchers/{voucher.pk}/buy/", form)["Location"] for _ in range(2)]
    order = VoucherOrder.objects.get()
    assert answers == [f"/orders/{order.pk}/"] * 2
    assert button_state(browser.get(f"/vouchers/{voucher.pk}/").content.decode()) == "have"
    again = browser.post(f"/vouchers/{voucher.pk}/buy/")
    assert again["Location"] == f"/orders/{order.pk}/"


def test_a_visitor_logs_in_before_buying(voucher: Voucher) -> None:
    html = Client().get(f"/vouchers/{voucher.pk}/").content.decode()
    assert (button_state(html), "/login/?next=" in html) == ("login", True)


def test_a_flash_sale_is_not_bought_past_its_queue(sale: FlashSale, alice: User) -> None:
    assert buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/buy/").status_code == 404


def test_what_people_wrote_is_shown_as_text(voucher: Voucher, shop: Shop) -> None:
    Voucher.objects.update(title="<script>alert(1)</script>", rules="<img src=x onerror=alert(1)>")
    html = Client().get(f"/vouchers/{voucher.pk}/").content.decode()
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_the_window_of_the_page_is_the_servers(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(begins_in=60)
    now = timezone.now()
    FlashSale.objects.update(begins_at=now - timedelta(seconds=1), revision=7)
    client.get().hset(keys.for_sale(sale.pk).sale, "begins", "1")
    assert button_state(sale_page_html(sale, alice)) == "open"
