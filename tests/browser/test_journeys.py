"""Whole journeys of an account's life."""

import pytest
from playwright.sync_api import Page, expect

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MOVER, NEW_PHONE = "+8613800001160", "+8613800001990"


def log_in_at(visit: site_browsers.SiteBrowsers, phone: str, path: str) -> Page:
    """Open a page in a new browser, as the person with this phone."""
    page = visit()
    page.goto(f"/login/?next={path}")
    site_browsers.log_in(page, phone)
    page.wait_for_url(f"**{path}")
    return page


def press(page: Page, name: str) -> None:
    """Press a button that leads to another page."""
    with page.expect_navigation():
        page.get_by_role("main").get_by_role("button", name=name).click()


def type_shown_code(page: Page) -> None:
    """Type the code that the demo shows; six digits submit themselves."""
    code = site_browsers.read_login_code(page)
    chromium_pages.wait_for_scripts(page)
    with page.expect_navigation():
        page.get_by_label("Code").fill(code)


def test_a_number_is_changed_and_the_old_one_no_longer_opens_the_account(
    visit: site_browsers.SiteBrowsers,
) -> None:
    page = log_in_at(visit, MOVER, "/me/phone/")
    page.get_by_label("New phone number").fill(NEW_PHONE)
    press(page, "Send a code to my present phone")
    type_shown_code(page)
    type_shown_code(page)
    again = log_in_at(visit, NEW_PHONE, "/me/phone/")
    expect(again.get_by_text(NEW_PHONE)).to_be_visible()
