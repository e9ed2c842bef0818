"""An owner says when the shop is open, on a phone and on a wide screen; people read it in both languages."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import User
from apps.shops.members import membership
from tests import chromium_pages
from tests.factories import ShopMemberFactory
from tests.page_opening import open_page
from tests.shops import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_closed_on_mondays_and_new_year_from_noon(page_at: chromium_pages.PageAt, alice: User) -> None:
    shop = makers.shop(hours_en="", schedule="Mo-Su 10:00-22:00")
    ShopMemberFactory.create(shop=shop, user=alice, owner=True)
    membership.sync_roles(alice)
    page = open_page(page_at(360), alice, f"/shops/{shop.pk}/edit/")
    preview = page.locator("[data-hours-preview]")
    expect(preview).to_contain_text("As people will read it")
    # One row for all days, and no empty times in sight.
    expect(page.locator("[data-hours-pair]:visible")).to_have_count(1)
    page.locator("[data-hours-same]").uncheck()
    page.locator("[name=schedule-mo-kind]").select_option("closed")
    page.get_by_role("button", name="One more day").click()
    page.locator('[name="schedule-x0-first"]').fill("2027-01-01")
    page.locator('[name="schedule-x0-kind"]').select_option("times")
    page.locator('[name="schedule-x0-0-opens"]').fill("12:00")
    page.locator('[name="schedule-x0-0-closes"]').fill("16:00")
    expect(preview.get_by_role("row", name="Monday")).to_contain_text("Closed")
    expect(preview.get_by_role("row", name="Tuesday")).to_contain_text("10:00–22:00")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    shop.refresh_from_db()
    assert shop.schedule == "Mo off; Tu-Su 10:00-22:00; 2027-01-01 12:00-16:00"
    for language, monday, closed in (("en-GB", "Monday", "Closed"), ("zh-CN", "星期一", "休息")):
        reader = page_at(1280, locale=language)
        reader.goto(shop.get_absolute_url())
        expect(reader.locator(".week").first.get_by_role("row", name=monday)).to_contain_text(closed)
