"""Pages that are the same for everybody are filled with what is the reader's own."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import site_browsers

pytestmark = pytest.mark.browser
MAX_LAYOUT_SHIFT = 0.02
NOTE_LINK = ".note-card a[href^='/notes/']"


def wait_until_known(page: Page, reader: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-reader", reader)


def test_the_sale_page_knows_what_i_have(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident, running: str
) -> None:
    path = site_browsers.grab_unpaid_order(visit(state=resident.state), running)
    page = visit(language="zh", state=resident.state)
    page.goto(running)
    expect(page.get_by_role("link", name="查看订单")).to_have_attribute("href", path)
    other = visit()
    other.goto(running)
    expect(other.locator("#grab")).to_have_attribute("data-state", "login")


def test_the_header_knows_me_and_forgets_me(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(1280, state=resident.state)
    page.goto("/")
    wait_until_known(page, "person")
    expect(page.locator("[data-nickname]")).not_to_be_empty()
    # Its stream ends with the page: without the cookie, the next one would be refused in the console.
    page.goto("about:blank")
    page.context.clear_cookies()
    page.goto("/")
    wait_until_known(page, "visitor")
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()
    expect(page.locator("[data-me]")).to_be_hidden()


def test_hearts_and_follows_are_mine(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(state=resident.state)
    note = site_browsers.first_link(page, "/notes/", NOTE_LINK)
    page.goto(note)
    wait_until_known(page, "person")
    heart, follow = page.locator(".note__foot .heart__button"), page.locator(".follow button")
    for button in (heart, follow):
        if button.get_attribute("aria-pressed") == "false":
            button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    page.reload()
    for button in (heart, follow):
        expect(button).to_have_attribute("aria-pressed", "true")
    other = visit()
    other.goto(note)
    wait_until_known(other, "visitor")
    for button in (other.locator(".note__foot .heart__button"), other.locator(".follow button")):
        expect(button).to_have_attribute("aria-pressed", "false")


def test_home_keeps_to_the_chosen_city(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(1280)
    page.goto("/?city=shanghai")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Shanghai")
    page.goto("/", wait_until="networkidle")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Shanghai")
    expect(page.locator("#home-near h2")).to_contain_text("Shanghai")
    assert page.evaluate("window.shifted") < MAX_LAYOUT_SHIFT
