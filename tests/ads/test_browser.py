"""An ad in a browser: nothing moves when it comes, it is counted when seen, explains itself, hides."""

import time

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.ads import keys
from apps.ads.models import Ad
from apps.redis_kit import client
from tests import chromium_pages
from tests.ads import makers
from tests.chromium_pages import PageAt
from tests.page_opening import open_admin_page
from tests.shops import makers as shops

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
COUNT_SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def wait_for_view(page: Page, ad: Ad) -> None:
    """Wait until Redis has counted one view of the ad."""
    ends = time.monotonic() + chromium_pages.TIMEOUT_MS / 1_000
    while client.get().hget(keys.COUNTS(ad=ad.pk), "views") != "1":
        assert time.monotonic() < ends, "the view was not counted"
        page.wait_for_timeout(50)


@pytest.mark.parametrize("width", [360, 1280])
def test_an_ad_is_filled_seen_explained_and_hidden(page_at: PageAt, width: int) -> None:
    shop = shops.shop()
    ad = makers.ad(shop=shop, text_en="Two broths in one pot")
    shops.commit_and_index()
    page = page_at(width)
    page.add_init_script(COUNT_SHIFTS)
    page.goto(f"/shops/{shop.pk}/", wait_until="domcontentloaded")
    chromium_pages.wait_for_scripts(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("link", name="Hot pot")).to_be_visible()
    wait_for_view(page, ad)
    page.get_by_role("button", name="Why this ad?").click()
    expect(page.get_by_text("Hot Pot House pays for this ad.")).to_be_visible()
    page.get_by_role("button", name="Hide this ad").click()
    expect(page.get_by_text("You will not see this ad again.")).to_be_visible()
    assert page.evaluate("window.shifted") < 0.02
    assert chromium_pages.horizontal_overflow(page) == 0
    page.reload(wait_until="domcontentloaded")
    chromium_pages.wait_for_scripts(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(500)
    expect(page.locator(".ad-slot article")).to_have_count(0)
    assert page.evaluate("window.shifted") < 0.02


def test_the_forms_of_ads_fit_a_phone_and_preview_both_languages(page_at: PageAt, manager: User) -> None:
    ad = makers.ad(shop=shops.shop(name_en="The Shop of the Very Long Name by the Lake of the West"))
    page = open_admin_page(page_at(360), manager, f"/admin/ads/ad/{ad.pk}/change/")
    names = page.locator("[data-preview-advertiser]")
    expect(names).to_have_text(["Hot Pot House", "火锅店"])
    for path in (
        f"/admin/ads/ad/{ad.pk}/change/",
        f"/admin/ads/campaign/{ad.campaign_id}/change/",
        *("/admin/ads/ad/", "/admin/ads/campaign/", "/admin/ads/charge/"),
    ):
        page.goto(path, wait_until="networkidle")
        assert chromium_pages.horizontal_overflow(page) == 0, path
