"""Paying in a browser: to the sandbox bank and back; it fails, it tells us late, the time is over."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Payment
from apps.coupons.orders import lifecycle, redeem_codes
from apps.coupons.payments import tasks
from tests import chromium_pages
from tests.factories import VoucherFactory, VoucherOrderFactory
from tests.page_opening import open_page
from tests.shops import makers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("line"),
]
LOOKS: list[tuple[int, chromium_pages.Theme]] = [(360, "light"), (360, "dark"), (1280, "dark")]


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]} {look[1]}")
def page(
    request: pytest.FixtureRequest, page_at: chromium_pages.PageAt, order: VoucherOrder, alice: User
) -> Page:
    """The order's page."""
    width, theme = request.param
    return open_page(page_at(width, theme=theme), alice, f"/orders/{order.pk}/")


def expect_state(page: Page, face: str) -> None:
    """The order's page shows this face, and fits its window."""
    expect(page.locator("#order-state")).to_have_attribute("data-order-state", face, timeout=20_000)
    assert chromium_pages.horizontal_overflow(page) == 0


def go_to_bank(page: Page, name: str = "Pay now") -> None:
    page.get_by_role("button", name=name).click()
    expect(page.get_by_text("No money moves")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Noodles at half price")
    expect(page.locator(".pay-price")).to_have_text("¥49")
    assert chromium_pages.horizontal_overflow(page) == 0


def test_it_fails_and_is_tried_again(page: Page, order: VoucherOrder) -> None:
    expect_state(page, "unpaid")
    go_to_bank(page)
    page.get_by_role("button", name="Let it fail").click()
    expect_state(page, "failed")
    expect(page.get_by_text("The payment did not go through")).to_be_visible()
    go_to_bank(page, "Try again")
    page.get_by_role("button", name="Pay", exact=True).click()
    expect_state(page, "paid")
    expect(page.locator(".qr__text")).to_have_text(redeem_codes.spell(order.redeem_code))


@pytest.mark.parametrize("width", [360, 1280])
def test_three_are_bought_and_paid_at_once_and_each_has_its_code(
    page_at: chromium_pages.PageAt, alice: User, width: int
) -> None:
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=3)
    VoucherOrderFactory.create(user=alice, voucher=voucher, status=Status.CANCELLED)
    page = open_page(page_at(width), alice, f"/vouchers/{voucher.pk}/")
    page.get_by_label("How many").select_option("3 · ¥147")
    page.get_by_role("button", name="Buy", exact=True).click()
    expect_state(page, "unpaid")
    expect(page.get_by_role("button", name="Pay only this one · ¥49")).to_be_visible()
    page.get_by_role("button", name="Pay for all 3 · ¥147").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("3 × ")  # noqa: RUF001
    expect(page.locator(".pay-price")).to_have_text("¥147")
    page.get_by_role("button", name="Pay", exact=True).click()
    codes = set[str]()
    for number in (2, 3, 1):
        expect_state(page, "paid")
        codes.add(page.locator(".qr__text").inner_text())
        page.get_by_role("link", name=f"Coupon {number} · to use").click()
        page.wait_for_url(f"**/orders/{VoucherOrder.objects.active().order_by('pk')[number - 1].pk}/")
    assert len(codes) == 3
    page.goto(f"/vouchers/{voucher.pk}/")
    expect(page.get_by_text("You have as many as one person may have")).to_be_visible()


def test_one_can_choose_only_what_one_may_still_have(page_at: chromium_pages.PageAt, alice: User) -> None:
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=3)
    VoucherOrderFactory.create(user=alice, voucher=voucher)
    page = open_page(page_at(360), alice, f"/vouchers/{voucher.pk}/")
    expect(page.get_by_role("link", name="Coupon 1")).to_be_visible()
    enabled = page.locator("#count option:enabled")
    expect(enabled).to_have_text(["1 · ¥49", "2 · ¥98"])
    page.locator("#count").select_option("2")
    request = page.locator("[name=request_token]").input_value()
    VoucherOrderFactory.create(user=alice, voucher=voucher, piece=1)
    # As when one comes back to the page after buying.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(enabled).to_have_text(["1 · ¥49"])
    expect(page.locator("#count")).to_have_value("1")
    assert page.locator("[name=request_token]").input_value() != request
    page.goto(f"/vouchers/{voucher.pk}/?reason=too_many&left=1")
    expect(page.get_by_text("You can have only 1 more of this coupon.")).to_be_in_viewport()


def test_a_late_callback_moves_the_page_on_by_itself(page: Page, order: VoucherOrder) -> None:
    go_to_bank(page)
    page.get_by_role("button", name="Pay, but tell the shop late").click()
    expect_state(page, "confirming")
    page.evaluate("window.stayed = true")
    tasks.call_back(Payment.objects.get().reference)
    expect_state(page, "paid")
    assert page.evaluate("window.stayed") is True


def test_money_that_comes_too_late_is_followed_on_its_way_back(page: Page, order: VoucherOrder) -> None:
    go_to_bank(page)
    page.get_by_role("button", name="Pay, but tell the shop late").click()
    expect_state(page, "confirming")
    page.evaluate("window.stayed = true")
    lifecycle.cancel(order)
    expect_state(page, "too_late")
    tasks.call_back(Payment.objects.get().reference)
    expect_state(page, "money_returned")
    expect(page.get_by_text("You got ¥49 back.")).to_be_visible()
    assert page.evaluate("window.stayed") is True


def test_by_keyboard_and_back_without_paying(page: Page) -> None:
    page.locator("#pay").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sandbox bank")).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).focus()
    page.keyboard.press("Enter")
    expect_state(page, "unpaid")


def test_a_payment_that_nobody_finished_is_begun_anew(page: Page, order: VoucherOrder) -> None:
    expect_state(page, "unpaid")
    go_to_bank(page)
    page.go_back()
    now = timezone.now()
    Payment.objects.update(begun_at=now - PAYMENT_LIFETIME, due_at=now)
    tasks.sweep()
    expect_state(page, "expired")
    expect(page.get_by_text("The payment was not finished")).to_be_visible()
    go_to_bank(page, "Try again")
    page.get_by_role("button", name="Pay", exact=True).click()
    expect_state(page, "paid")
    assert sorted(Payment.objects.values_list("state", flat=True)) == ["expired", "succeeded"]


def test_money_whose_callback_was_lost_arrives_by_itself(page: Page, order: VoucherOrder) -> None:
    go_to_bank(page)
    page.get_by_role("button", name="Pay, but tell the shop late").click()
    expect_state(page, "confirming")
    page.evaluate("window.stayed = true")
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    expect_state(page, "paid")
    assert page.evaluate("window.stayed") is True
