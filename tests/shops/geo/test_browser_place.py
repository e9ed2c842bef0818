"""The reader's own position: shops near it, and no address that tells it."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from tests import chromium_pages, page_opening
from tests.chromium_pages import PageAt
from tests.factories import FlashSaleFactory
from tests.page_opening import go_to
from tests.shops import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(page_at: chromium_pages.PageAt) -> Page:
    """A page of a phone that stands on the Broken Bridge and may say so."""
    page = page_at(360)
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation({"latitude": makers.LAT + 0.00004, "longitude": makers.LNG})
    return page


@pytest.mark.parametrize("path", ["/", "/shops/?type=food&sort=rating"])
def test_a_position_stays_out_of_the_address_bar(page: Page, path: str) -> None:
    makers.shop("Lakeside Noodle House")
    makers.shop("Far away", lat=31.2304, lng=121.4737)
    makers.commit_and_index()
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    go_to(page, path)
    with page.expect_navigation():
        page.get_by_role("button", name="Near me").click()
    expect(page.get_by_role("heading", name="near you")).to_be_visible()
    expect(page.get_by_text("Lakeside Noodle House").first).to_be_visible()
    assert page.url.endswith(path)
    assert not [address for address in addresses if "lat=" in address or "30.259" in address]
    (cookie,) = [one for one in page.context.cookies() if one["name"] == "savor_where"]
    assert cookie["value"] == "30.259,120.148"


def test_a_city_chosen_in_the_profile_frames_the_home_page(page_at: PageAt, alice: User) -> None:
    far = makers.shop("Bund Noodles", lat=31.2304, lng=121.4737, city_en="Shanghai")
    for shop, title in ((makers.shop(), "Sale at the lake"), (far, "Sale at the Bund")):
        FlashSaleFactory.create(voucher__shop=shop, voucher__title_en=title)
    makers.commit_and_index()
    page = page_at(360)
    page_opening.open_page(page, alice, "/me/edit/")
    page.get_by_label("City").select_option("Shanghai")
    with page.expect_navigation():
        page.get_by_role("button", name="Save").click()
    page.goto("/")
    expect(page.locator("#home-city")).to_contain_text("Sale at the Bund")
    expect(page.locator("#home-city")).not_to_contain_text("Sale at the lake")
    page.locator("#locate-city").select_option(label="Hangzhou")
    expect(page.locator("#home-city")).to_contain_text("Sale at the lake")
    page.goto("/me/edit/")
    expect(page.get_by_label("City")).to_have_value("Shanghai")
