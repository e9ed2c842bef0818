"""A city chosen in the profile is the browser's too."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import User
from tests import page_opening
from tests.chromium_pages import PageAt
from tests.factories import FlashSaleFactory
from tests.shops import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
