"""An order's page lives through a cancel and a time-out without a reload; a bell is pressed by keyboard."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import tasks
from apps.coupons.buyer import gifts
from apps.coupons.catalog import reminders
from apps.coupons.claims import loading, seckill
from apps.coupons.models import FlashSale, Reminder, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.redis_kit import client
from tests import chromium_pages
from tests.browser.site_browsers import LAYOUT_SHIFT_SCRIPT
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.page_opening import go_to, open_page
from tests.sites import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS: list[tuple[int, chromium_pages.Theme]] = [(360, "dark"), (1280, "light")]


@pytest.fixture(params=LOOKS, ids=["phone", "desk"])
def page(request: pytest.FixtureRequest, page_at: chromium_pages.PageAt) -> Page:
    """A page that notes how far its parts moved by themselves."""
    width, theme = request.param
    page = page_at(width, theme=theme)
    page.add_init_script(LAYOUT_SHIFT_SCRIPT)
    return page


def expect_no_layout_shift(page: Page) -> None:
    """Nothing is wider than the page, and nothing moved by itself."""
    assert chromium_pages.horizontal_overflow(page) == 0
    assert page.evaluate("window.shifted") < 0.05


def expect_state(page: Page, face: str) -> None:
    expect(page.locator("#order-state")).to_have_attribute("data-order-state", face)


def test_an_order_that_redis_loses_is_brought_back_by_its_page(
    page: Page, sale: FlashSale, alice: User
) -> None:
    open_page(page, alice, f"/vouchers/{sale.pk}/")
    page.get_by_role("button", name="Grab it now").click()
    page.get_by_role("link", name="See the order and pay").click()
    expect_state(page, "queued")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk) or 0
    client.get().flushall()
    loading.load(sale.pk)
    expect(
        page.get_by_text("This order was lost").or_(page.get_by_text("We are writing it down"))
    ).to_be_visible()
    wait_until(lambda: seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id, seconds=30)
    buyers.record_order(sale, order_id)
    expect_state(page, "unpaid")
    assert page.evaluate("localStorage.getItem('savor-receipts')") is None
    expect_no_layout_shift(page)


def test_an_order_that_is_lost_for_good_leads_to_the_sales(
    page: Page, make_sale: MakeSale, alice: User, bob: User
) -> None:
    sale = make_sale(units=1)
    open_page(page, alice, f"/vouchers/{sale.pk}/")
    page.get_by_role("button", name="Grab it now").click()
    page.get_by_role("link", name="See the order and pay").click()
    expect_state(page, "queued")
    client.get().flushall()
    loading.load(sale.pk)
    buyers.queue_order(sale, bob)
    expect(page.get_by_text("every unit is taken by now")).to_be_visible(timeout=30_000)
    expect_no_layout_shift(page)
    page.get_by_role("link", name="See the flash sales").click()
    expect(page).to_have_url(re.compile("/sales/"))


def test_the_sales_page_brings_a_lost_order_back(page: Page, sale: FlashSale, alice: User) -> None:
    open_page(page, alice, f"/vouchers/{sale.pk}/")
    page.get_by_role("button", name="Grab it now").click()
    expect(page.locator("#grab")).to_have_attribute("data-state", "got")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    client.get().flushall()
    loading.load(sale.pk)
    wait_until(lambda: seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id, seconds=30)
    expect(page.get_by_role("link", name="See the order and pay")).to_be_visible()


def test_a_queued_order_is_cancelled_on_its_page(page: Page, sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    open_page(page, alice, f"/orders/{order_id}/")
    expect_state(page, "queued")
    expect_no_layout_shift(page)
    page.locator("#cancel-link").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Cancel the order").click()
    expect(page.get_by_text("This order is cancelled")).to_be_visible()
    expect_state(page, "cancelled")
    assert VoucherOrder.objects.get(pk=order_id).status == "cancelled"
    assert seckill.read_stock(sale.pk) == 10
    expect_no_layout_shift(page)
    page.get_by_role("link", name="Buy again").click()
    expect(page.get_by_role("button", name="Grab it now")).to_be_enabled()


def test_nobody_pays_and_the_page_says_so(
    page: Page, sale: FlashSale, alice: User, settings: Settings
) -> None:
    # Its styles and scripts are at hand then: ten seconds are enough on a busy machine.
    open_page(page, alice, "/orders/")
    settings.PAY_WITHIN = timedelta(seconds=10)
    order = buyers.create_order(sale, alice)
    go_to(page, f"/orders/{order.pk}/")
    expect_state(page, "unpaid")
    expect_state(page, "overdue")
    expect(page.get_by_text("The time to pay is over")).to_be_visible()
    assert tasks.close_overdue_orders() == 1
    expect_state(page, "cancelled")
    assert page.evaluate("window.stayed") is True
    expect_no_layout_shift(page)


def test_a_guest_sees_the_payment_and_the_redemption_without_a_reload(
    page: Page, sale: FlashSale, alice: User
) -> None:
    order = buyers.create_order(sale, alice)
    open_page(page, alice, f"/orders/{order.pk}/")
    facts = page.locator("#order-facts dt")
    expect(facts).to_have_text(["Number", "Price", "Worth", "Ordered"])
    lifecycle.mark_paid(order)
    expect_state(page, "paid")
    expect(facts.last).to_have_text("Paid")
    expect(page.get_by_text("Get a refund")).to_be_visible()
    expect_no_layout_shift(page)
    lifecycle.redeem(order)
    expect_state(page, "used")
    expect(facts.last).to_have_text("Used")
    expect(page.get_by_text("Already used")).to_be_visible()
    expect(page.get_by_text("Get a refund")).to_be_hidden()
    assert page.evaluate("window.stayed") is True
    expect_no_layout_shift(page)


def test_a_bell_is_pressed_by_keyboard(page: Page, make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(begins_in=3_600)
    open_page(page, alice, f"/vouchers/{sale.pk}/")
    bell = page.get_by_role("button", name="Remind me: Noodles at half price")
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.focus()
    page.keyboard.press("Enter")
    rung = page.get_by_role("button", name="Reminder set: Noodles at half price")
    expect(rung).to_have_attribute("aria-pressed", "true")
    expect(rung).to_be_focused()
    expect(page.get_by_text("By text message.")).to_be_visible()
    assert Reminder.objects.get().user == alice
    page.keyboard.press("Space")
    expect(bell).to_have_attribute("aria-pressed", "false")
    expect(bell).to_be_focused()
    assert not Reminder.objects.exists()
    assert page.evaluate("window.stayed") is True
    expect_no_layout_shift(page)


def test_a_card_has_its_bell_above_its_link(page: Page, make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(begins_in=3_600)
    open_page(page, alice, "/sales/?tab=coming")
    page.get_by_role("button", name="Remind me").click()
    expect(page.get_by_role("button", name="Reminder set")).to_be_visible()
    assert page.url.endswith("/sales/?tab=coming")
    assert reminders.find_wanted_sale_ids(alice.pk, [sale.pk]) == {sale.pk}
    expect_no_layout_shift(page)
    page.get_by_role("link", name="Noodles at half price").click()
    expect(page.get_by_role("button", name="Reminder set")).to_be_visible()


def test_when_the_sale_opens_the_bell_is_gone_and_nothing_moves(
    page: Page, make_sale: MakeSale, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "LEAD_TIME", timedelta(seconds=1))
    open_page(page, alice, "/sales/")
    sale = make_sale(begins_in=10)
    go_to(page, f"/vouchers/{sale.pk}/")
    expect(page.get_by_role("button", name="Remind me")).to_be_visible()
    expect(page.locator("#grab")).to_have_attribute("data-state", "open")
    expect(page.get_by_role("button", name="Remind me")).to_be_hidden()
    expect(page.locator(".reminder__begun")).to_be_visible()
    expect_no_layout_shift(page)


def test_a_gift_is_made_by_pressing_and_its_taking_reaches_the_open_page(
    page: Page, sale: FlashSale, alice: User, bob: User
) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.mark_paid(order)
    open_page(page, alice, f"/orders/{order.pk}/")
    page.get_by_role("link", name="Give it to somebody").click()
    page.get_by_role("button", name="Make a link").click()
    token = page.get_by_label("The link of the gift").input_value().rstrip("/").rpartition("/")[2]
    go_to(page, f"/orders/{order.pk}/")
    expect(page.get_by_text("can take this coupon until")).to_be_visible()
    gifts.take(token, user=bob)
    expect_state(page, "given")
    expect(page.get_by_text(f"{bob.nickname} took it on")).to_be_visible()
    assert chromium_pages.horizontal_overflow(page) == 0
