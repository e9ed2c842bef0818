"""The admin in a real browser: nothing its policy forbids, nothing wider than a phone, a whole new sale."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Status, Voucher
from apps.coupons.orders import lifecycle
from apps.coupons.templatetags import coupons_dashboard
from apps.shops.models import Shop
from tests import chromium_pages
from tests.blog import authors
from tests.coupons import buyers
from tests.page_opening import open_admin_page
from tests.sample_pictures import make_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def phone(page_at: chromium_pages.PageAt, manager: User, complaints: list[str]) -> Page:
    """The manager's phone, logged in to the admin."""
    page = page_at(360)
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return open_admin_page(page, manager, "/admin/")


LISTS = {
    "/admin/shops/shop/": "Shops",
    "/admin/coupons/flashsale/": "Flash sales",
    "/admin/coupons/voucherorder/": "Orders",
    "/admin/blog/photo/": "Photos",
    "/admin/signins/pointentry/": "Movements of points",
    "/admin/coupons/deadletter/": "Dead letters",
}
#: What Unfold's own frame of a page can't be blamed for.
AXE_RULES = {"runOnly": ["color-contrast", "link-name", "image-alt", "empty-table-header"]}
LAST_CRUMB = "[...document.querySelectorAll('h1 > a, h1 > span')].filter((one) => one.offsetWidth).at(-1)"


def test_lists_are_readable_on_a_phone_in_the_dark(
    page_at: chromium_pages.PageAt, manager: User, sale: FlashSale, alice: User
) -> None:
    buyers.create_order(sale, alice)
    authors.photo_with_files(alice)
    page = open_admin_page(page_at(360, theme="dark"), manager, "/admin/")
    for path, title in LISTS.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        found = Axe().run(page, options=AXE_RULES).response["violations"]
        assert [(path, one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert page.evaluate(f"{LAST_CRUMB}.textContent.trim()") == title
        assert page.evaluate(f"{LAST_CRUMB}.scrollWidth <= {LAST_CRUMB}.clientWidth + 1"), path
    expect(page.get_by_text("Nothing failed: every accepted order was written down.")).to_be_visible()
    page.goto("/admin/")
    cut = (
        "[...document.querySelectorAll('.sv-scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)"
    )
    assert page.evaluate(f"{cut}.length") == 0


def test_a_sale_is_made_by_search_and_clicks_and_a_double_click_makes_one(
    phone: Page, shop: Shop, complaints: list[str]
) -> None:
    phone.goto("/admin/coupons/flashsale/new-flash-sale/")
    expect(phone.locator("[name=begins_at]")).to_be_hidden()
    phone.click(".select2-selection")
    phone.keyboard.type("lakeside")
    phone.click("text=Lakeside Noodle House (West Lake, Hangzhou)")
    phone.fill("[name=title_en]", "Two bowls and a beer")
    phone.fill("[name=price]", "29")
    phone.fill("[name=value]", "68")
    expect(phone.locator(".sv-ticket")).to_contain_text("Lakeside Noodle House (West Lake, Hangzhou)")
    expect(phone.locator(".sv-ticket")).to_contain_text("¥29")
    phone.dblclick("text=Put it on sale")
    expect(phone.locator("text=The flash sale is saved.")).to_be_visible()
    # The second request's page may be drawn before the first one has loaded the sale.
    while phone.locator("text=/opens with the first buyer|closed for a moment/").is_visible():
        phone.reload()
    expect(phone.locator("text=ready, opens at its beginning")).to_be_visible()
    assert FlashSale.objects.count() == 1
    assert not complaints


@pytest.mark.parametrize("form", ["voucher/add/", "flashsale/new-flash-sale/"])
def test_a_chosen_picture_is_seen_before_it_is_saved(
    phone: Page, shop: Shop, complaints: list[str], form: str
) -> None:
    phone.goto(f"/admin/coupons/{form}")
    chosen = phone.locator(".sv-chosen")
    picture: Any = {"name": "cake.png", "mimeType": "image/png", "buffer": make_picture("PNG", (960, 540))}
    phone.set_input_files("[name=picture]", picture)
    expect(chosen).to_be_visible()
    assert chosen.evaluate("one => one.naturalWidth") == 960
    assert chromium_pages.horizontal_overflow(phone) == 0
    # Another takes its place, and none when none is chosen any more.
    phone.set_input_files("[name=picture]", picture | {"buffer": make_picture("PNG", (480, 270))})
    expect(chosen).to_have_count(1)
    chromium_pages.wait_for(phone, "document.querySelector('.sv-chosen').naturalWidth === 480")
    phone.set_input_files("[name=picture]", [])
    expect(chosen).to_have_count(0)
    assert not complaints


def test_a_refused_sale_keeps_its_picture(phone: Page, shop: Shop, complaints: list[str]) -> None:
    phone.goto("/admin/coupons/flashsale/new-flash-sale/")
    picture: Any = {"name": "cake.png", "mimeType": "image/png", "buffer": make_picture("PNG", (960, 540))}
    phone.set_input_files("[name=picture]", picture)
    phone.click(".select2-selection")
    phone.keyboard.type("lakeside")
    phone.click("text=Lakeside Noodle House (West Lake, Hangzhou)")
    phone.fill("[name=title_en]", "Two bowls and a beer")
    phone.fill("[name=price]", "68")
    phone.fill("[name=value]", "29")
    phone.click("text=Put it on sale")
    expect(phone.get_by_text("Nothing is saved yet")).to_be_visible()
    expect(phone.locator(".sv-chosen")).to_be_visible()
    expect(phone.locator(".sv-ticket-picture")).to_be_visible()
    expect(phone.locator("[data-choose-again]")).to_have_count(0)
    phone.fill("[name=price]", "19")
    phone.click("text=Put it on sale")
    expect(phone.locator("text=The flash sale is saved.")).to_be_visible()
    assert Voucher.objects.get().picture
    # The next form is an empty one.
    phone.goto("/admin/coupons/flashsale/new-flash-sale/")
    phone.wait_for_load_state("networkidle")
    expect(phone.locator(".sv-chosen")).to_have_count(0)
    assert not complaints


def look_up(phone: Page, code: str) -> None:
    phone.goto("/admin/coupons/voucherorder/redeem/")
    phone.get_by_label("code").fill(code)
    phone.get_by_role("button", name="Look it up").click()
    phone.wait_for_url("**/redeem/?code=*")


def test_a_guest_s_code_is_redeemed_on_a_phone_once(
    phone: Page, sale: FlashSale, alice: User, complaints: list[str]
) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.mark_paid(order)
    redeem = phone.get_by_role("button", name="Redeem it now")
    look_up(phone, order.redeem_code)
    redeem.click()
    expect(phone.get_by_text("Redeemed: Noodles at half price, Alice.")).to_be_visible()
    look_up(phone, order.redeem_code)
    expect(phone.get_by_text("This coupon was used today at")).to_be_visible()
    expect(redeem).to_have_count(0)
    order.refresh_from_db()
    assert order.status == Status.USED
    assert complaints == []


def test_taking_a_sale_off_asks_first(phone: Page, sale: FlashSale, complaints: list[str]) -> None:
    phone.goto(f"/admin/coupons/flashsale/{sale.pk}/change/")
    phone.get_by_role("button", name="Take off").click()
    offered = Voucher.objects.filter(pk=sale.pk, is_offered=True)
    assert offered.exists()
    phone.get_by_role("button", name="Yes, take it off").click()
    expect(phone.get_by_text("off the site", exact=True)).to_be_visible()
    assert not offered.exists()
    assert complaints == []


def test_a_refreshed_dashboard_draws_its_charts_again(phone: Page, sale: FlashSale, alice: User) -> None:
    buyers.create_order(sale, alice)
    coupons_dashboard._orders_by_minute.cache_clear()
    phone.goto("/admin/")
    chromium_pages.wait_for(phone, "Object.keys(Chart.instances).length > 0")
    drawn = phone.evaluate("Object.keys(Chart.instances).length")
    phone.evaluate("document.querySelector('canvas.chart').dataset.old = 'yes'")
    phone.evaluate("htmx.ajax('GET', '/admin/panels/', '#panels')")
    expect(phone.locator("canvas[data-old]")).to_have_count(0)
    chromium_pages.wait_for(
        phone, "[...document.querySelectorAll('canvas.chart')].every(one => Chart.getChart(one))"
    )
    assert phone.evaluate("Object.keys(Chart.instances).length") == drawn
