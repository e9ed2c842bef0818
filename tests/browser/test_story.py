"""One person's whole evening: looks around, logs in, grabs, pays, cancels, and buys again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests import chromium_pages, sites
from tests.browser import site_browsers

pytestmark = pytest.mark.browser


def order_display_text(page: Page, name: str) -> None:
    """Wait until the order's page shows this state, without a reload."""
    expect(page.locator("#order-state")).to_have_attribute("data-order-state", name)


@pytest.mark.journey
def test_shops_are_found_by_type(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/")
    page.get_by_role("link", name="KTV", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("KTV")
    expect(page.locator(".shop-card__facts").first).to_contain_text("KTV")
    page.locator(".list-order > summary").click()
    page.get_by_role("link", name="Best rated").click()
    page.wait_for_url("**sort=rating**")
    rates = re.findall(r"\d\.\d", " ".join(page.locator(".rating__value").all_inner_texts()))
    assert rates
    assert rates == sorted(rates, reverse=True)
    page.locator(".shop-card__name a").first.click()
    expect(page.locator(".shop-title")).to_contain_text("KTV")


def test_the_chosen_type_and_every_order_are_in_sight_on_a_phone(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/shops/")
    last = page.locator(".chips .chip").last
    expect(last).not_to_be_in_viewport()
    page.goto(str(last.get_attribute("href")))
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Map")).to_be_in_viewport(ratio=1)
    assert (
        page.locator("#shop-answer .shop-card").first.evaluate("(card) => card.getBoundingClientRect().top")
        <= 230
    )
    page.locator(".list-order > summary").click()
    for order in page.get_by_role("navigation", name="Sort by").get_by_role("link").all():
        expect(order).to_be_in_viewport(ratio=1)


def test_the_map_draws_its_own_ground_and_asks_nobody_else(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/shops/map/?type=food")
    expect(page.locator("path.ground-water").first).to_be_attached()
    expect(page.locator("path.map-ring")).to_have_count(3)
    expect(page.locator(".map-ring__label").first).to_have_text("500 m")
    heaps = sum(map(int, page.locator(".map-cluster").all_inner_texts()))
    assert heaps + page.locator(".leaflet-marker-icon .pin").count() == page.locator("[data-shop]").count()
    page.locator(".leaflet-marker-icon:has(.pin)").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".map-row--on .shop-card__name")).to_be_in_viewport()
    expect(page.locator("[data-map]")).to_be_in_viewport()


@pytest.mark.journey
def test_from_a_visitor_to_a_code_in_the_hand(visit: site_browsers.SiteBrowsers, running: str) -> None:
    page = visit()
    page.goto(running)
    page.get_by_role("link", name="Log in to grab it").click()
    site_browsers.log_in(page, "+8613800001002")
    page.wait_for_url(f"**{running}")
    site_browsers.grab(page)
    page.evaluate("window.stayed = true")
    order_display_text(page, "unpaid")
    assert page.evaluate("window.stayed") is True
    site_browsers.pay(page)
    expect(page.get_by_role("img", name="QR code to redeem")).to_be_visible()
    expect(page.locator(".qr__text")).to_have_text(re.compile(r"^\w{4} \w{4} \w{4}$"))


def test_a_cancelled_coupon_can_be_bought_again(
    visit: site_browsers.SiteBrowsers, single_unit: str, resident: site_browsers.Resident
) -> None:
    page = visit(1280, state=resident.state)
    first = site_browsers.grab_unpaid_order(page, single_unit)
    page.goto(single_unit)
    expect(page.locator(".stock__words")).to_contain_text("Sold out")
    site_browsers.cancel(page, first)
    page.get_by_role("link", name="Buy again").click()
    expect(page.locator("#grab")).to_have_attribute("data-state", "open")
    assert site_browsers.grab_unpaid_order(page, single_unit) != first


def test_the_countdown_becomes_the_button_at_zero(
    visit: site_browsers.SiteBrowsers, city: sites.Site, resident: site_browsers.Resident
) -> None:
    page = visit(state=resident.state)
    # Its styles and scripts are at hand then: twelve seconds are enough on a busy machine.
    page.goto(resident.coming)
    [path] = site_browsers.create_sales(city, 12)
    page.goto(path)
    expect(page.get_by_role("button", name="Not open yet")).to_be_disabled()
    button = page.get_by_role("button", name="Grab it now")
    expect(button).to_be_focused(timeout=30_000)
    expect(page.locator("#live")).to_have_text("The sale is open.")
    page.keyboard.press("Enter")
    expect(page.locator("#grab").get_by_text("You got it!")).to_be_visible()


def test_the_button_is_in_sight_without_scrolling(
    visit: site_browsers.SiteBrowsers, running: str, resident: site_browsers.Resident
) -> None:
    for width in (360, 1280):
        page = visit(width, state=resident.state)
        page.goto(running)
        for part in (page.get_by_role("button", name="Grab it now"), page.locator("#grab .stock")):
            expect(part).to_be_in_viewport(ratio=1)


def test_the_first_sale_is_on_a_phones_first_screen(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/")
    bottom = page.locator(".flash-card").first.evaluate("card => card.getBoundingClientRect().bottom")
    assert bottom <= page.locator(".tabbar").evaluate("bar => bar.getBoundingClientRect().top")


def test_a_wrong_code_is_said_and_the_right_one_still_works(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/login/")
    page.get_by_label("Phone number").fill("+8613800001003")
    page.get_by_role("button", name="Send me a code").click()
    code = site_browsers.read_login_code(page)
    chromium_pages.wait_for_scripts(page)
    page.get_by_label("Code").fill(f"{(int(code) + 1) % 1_000_000:06}")
    expect(page.get_by_text("Wrong or expired code.")).to_be_visible()
    # The browser itself notes the refused request.
    assert [text for text in visit.complaints if "400" not in text] == []
    visit.complaints.clear()
    with page.expect_navigation():
        page.get_by_label("Code").fill(code)


def test_the_language_is_changed_and_stays(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/shops/")
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("商户")
    expect(page.locator(".chip").nth(1)).to_have_text("美食")
    page.goto("/sales/")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.get_by_role("heading", level=1)).to_have_text("限时秒杀")
