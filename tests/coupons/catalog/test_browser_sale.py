"""The sale and the order in a real browser: what moves, moves without a reload."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from apps.accounts.models import User
from apps.coupons.claims import loading, seckill
from apps.coupons.models import FlashSale, VoucherOrder
from tests import chromium_pages
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.page_opening import go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def expect_state(page: Page, expected: str) -> None:
    expect(page.locator("#grab")).to_have_attribute("data-state", expected)
    assert page.evaluate("window.stayed") is True


def grab(page: Page) -> None:
    page.get_by_role("button", name="Grab it now").click()


@pytest.mark.usefixtures("line")
@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_a_coupon_is_grabbed_and_its_order_comes_alive(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    page = open_page(page_at(width, theme=theme), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    assert chromium_pages.horizontal_overflow(page) == 0
    grab(page)
    expect_state(page, "got")
    page.get_by_role("link", name="See the order and pay").click()
    moving = page.locator("#order-state")
    expect(moving).to_have_attribute("data-face", "queued")
    page.evaluate("window.stayed = true")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert order_id
    order = buyers.record_order(sale, order_id)
    expect(moving).to_have_attribute("data-face", "unpaid")
    assert page.evaluate("window.stayed") is True
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("button", name="Pay now").click()
    page.get_by_role("button", name="Pay", exact=True).click()
    expect(page.locator(".qr__text")).to_have_text(order.redeem_code)
    assert chromium_pages.horizontal_overflow(page) == 0


def test_the_button_opens_by_itself_when_the_countdown_ends(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    # Its styles and scripts are at hand then: four seconds are enough on a busy machine.
    page = open_page(page_at(360), alice, "/sales/")
    sale = make_sale(begins_in=4)
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "soon")
    expect(page.get_by_role("button", name="Not open yet")).to_be_disabled()
    expect_state(page, "open")
    grab(page)
    expect_state(page, "got")


def test_a_sale_that_is_being_prepared_is_tried_again_by_itself(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(loaded=False)
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "retry")
    page.get_by_role("button", name="Try again").click()
    expect_state(page, "got")
    assert seckill.read_stock(sale.pk) == 9


def test_a_page_that_was_only_opened_buys_nothing(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(loaded=False)
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "retry")
    loading.load(sale.pk)
    with page.expect_response(re.compile("/stock/")):
        pass
    assert seckill.read_stock(sale.pk) == 10


def test_what_is_told_of_the_stock_after_the_grab_changes_nothing(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User
) -> None:
    """The stock bar's question is on its way while the whole button is replaced."""
    page, held = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/"), list[Route]()
    with page.expect_request(re.compile("/stock/")):
        page.route(re.compile("/stock/"), lambda route: held.append(route), times=1)
    grab(page)
    expect_state(page, "got")
    with page.expect_response(re.compile("/stock/")) as told:
        held[0].continue_()
    assert told.value.headers["hx-retarget"] == "#grab"
    expect_state(page, "got")


def test_the_last_unit_goes_while_one_watches_and_comes_back(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User, bob: User
) -> None:
    sale = make_sale(units=1)
    page = open_page(page_at(1280), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    order = buyers.create_order(sale, bob)
    expect_state(page, "sold_out")
    buyers.browser_client(bob).post(f"/orders/{order.pk}/cancel/")
    expect_state(page, "open")


def test_a_visitor_logs_in_and_comes_back(page_at: chromium_pages.PageAt, sale: FlashSale) -> None:
    page = open_page(page_at(360), None, f"/vouchers/{sale.pk}/")
    expect_state(page, "login")
    page.get_by_role("link", name="Log in to grab it").click()
    page.wait_for_url(f"**/login/?next=%2Fvouchers%2F{sale.pk}%2F")


def test_cancelling_asks_first(page_at: chromium_pages.PageAt, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    page = open_page(page_at(360), alice, f"/orders/{order.pk}/")
    page.locator("#cancel-link").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert VoucherOrder.objects.get().status == "unpaid"
    page.locator("#cancel-link").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the order").click()
    expect(page.get_by_text("This order is cancelled")).to_be_visible()
    assert VoucherOrder.objects.get().status == "cancelled"


def test_a_double_click_makes_one_order(page_at: chromium_pages.PageAt, sale: FlashSale, alice: User) -> None:
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    page.get_by_role("button", name="Grab it now").dblclick()
    expect_state(page, "got")
    assert seckill.read_stock(sale.pk) == 9
