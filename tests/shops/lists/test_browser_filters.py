"""The filters of lists in a real browser: one state in the address, whatever is pressed next."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.shops.geo import rebuilding
from tests import chromium_pages
from tests.shops import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def shops() -> None:
    makers.shop("Cheap noodles", price=3_000)
    makers.shop("Dear noodles", price=30_000)
    makers.shop("Cheap songs", price=3_000, type="ktv")
    rebuilding.rebuild()


def choose(page: Page, name: str, url: str) -> None:
    page.get_by_role("checkbox", name=name).check()
    page.wait_for_url(url)


def test_a_filter_stays_through_type_order_map_and_the_way_back(page_at: chromium_pages.PageAt) -> None:
    page = page_at(1280)
    page.goto("/shops/?city=hangzhou")
    chromium_pages.wait_for_scripts(page)
    names = page.locator("#shop-answer .shop-card__name")
    expect(names).to_have_count(3)
    choose(page, "Under", "**/shops/?city=hangzhou&price=1")
    expect(names).to_have_count(2)
    main = page.get_by_role("main")
    main.get_by_role("link", name="Food", exact=True).click()
    expect(names).to_have_text(["Cheap noodles"])
    main.get_by_role("link", name="Best rated").click()
    expect(names).to_have_text(["Cheap noodles"])
    main.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator("#map-list [data-shop]")).to_have_count(1)
    expect(page).to_have_url(re.compile("sort=rating.*price=1|price=1.*sort=rating"))
    main.get_by_role("link", name="List", exact=True).click()
    expect(names).to_have_text(["Cheap noodles"])


def test_back_and_forward_bring_list_and_boxes(page_at: chromium_pages.PageAt) -> None:
    page = page_at(1280)
    page.goto("/shops/?city=hangzhou")
    chromium_pages.wait_for_scripts(page)
    cheap = page.get_by_role("checkbox", name="Under")
    choose(page, "Under", "**/shops/?city=hangzhou&price=1")
    choose(page, "Open now", "**/shops/?city=hangzhou&open=1&price=1")
    expect(page.locator('.header [name="next"]')).to_have_value("/shops/?city=hangzhou&open=1&price=1")
    page.go_back()
    expect(page.get_by_role("checkbox", name="Open now")).not_to_be_checked()
    expect(cheap).to_be_checked()
    expect(page.locator("#shop-answer .shop-card__name")).to_have_count(2)
    page.go_back()
    expect(cheap).not_to_be_checked()
    expect(page.locator("#shop-answer .shop-card__name")).to_have_count(3)
    page.go_forward()
    expect(cheap).to_be_checked()
    expect(page.locator("#shop-answer .shop-card__name")).to_have_count(2)


def test_the_button_of_the_sheet_counts_while_one_chooses(page_at: chromium_pages.PageAt) -> None:
    page = page_at(360)
    for path in ("/shops/?city=hangzhou", "/shops/map/?city=hangzhou"):
        page.goto(path)
        chromium_pages.wait_for_scripts(page)
        page.locator("[data-filter-sheet] > summary").click()
        cheap = page.get_by_role("checkbox", name="Under")
        cheap.check()
        expect(page.get_by_role("button", name="Show 2 shops")).to_be_visible()
        cheap.uncheck()
        page.get_by_role("button", name="Show 3 shops").click()
        expect(page.locator("[data-filter-sheet]")).not_to_have_attribute("open", "")


def test_the_sheet_closes_wherever_the_focus_is(page_at: chromium_pages.PageAt) -> None:
    page = page_at(360)
    page.goto("/shops/?city=hangzhou")
    chromium_pages.wait_for_scripts(page)
    sheet = page.locator("[data-filter-sheet]")
    sheet.locator("> summary").click()
    expect(sheet).to_have_attribute("data-awake", "")
    page.evaluate("document.activeElement.blur()")
    # As the back button of Android asks.
    page.keyboard.press("Escape")
    expect(sheet).not_to_have_attribute("open", "")
    assert page.evaluate("location.pathname") == "/shops/"
