"""The lens on a phone and on a desk: its switch, its panel by mouse and keyboard, and what comes later."""

import pytest
from playwright.sync_api import Page, expect

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = pytest.mark.browser


def turn_on(page: Page) -> None:
    """Turn the lens on by its page, as everybody may in the demo."""
    page.goto("/lens/")
    page.get_by_role("button", name="Turn the lens on").click()
    expect(page.get_by_role("button", name="Turn the lens off")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_panel_opens_over_the_page_and_closes_again(
    visit: site_browsers.SiteBrowsers, width: int
) -> None:
    page = visit(width)
    turn_on(page)
    page.goto("/shops/")
    chromium_pages.wait_for_scripts(page)
    before = page.locator("h1").bounding_box()
    opener, drawer = page.locator("[data-lens-open]"), page.get_by_role("region", name="Lens")
    opener.focus()
    page.keyboard.press("Enter")
    expect(drawer).to_be_visible()
    expect(drawer.locator("[data-request]").filter(has_text="/shops/").first).to_be_visible()
    expect(drawer.locator(".lens-step--redis").first).to_be_visible()
    box = drawer.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    # A sheet from below on a phone, a drawer at the side on a desk; the page stays where it was.
    assert (box["x"] > width / 2) is (width == 1280)
    assert page.locator("h1").bounding_box() == before
    assert chromium_pages.horizontal_overflow(page) == 0
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(opener).to_be_focused()
    assert page.evaluate("window.shifted") < 0.05


def test_what_the_page_asks_for_later_comes_on_top(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(1280)
    turn_on(page)
    page.goto("/notes/")
    chromium_pages.wait_for_scripts(page)
    page.locator("[data-lens-open]").click()
    requests = page.locator("#lens-drawer [data-request]")
    # The personal part, which the event loop answers.
    personal = requests.filter(has_text="/api/me/page")
    expect(personal.first).to_be_attached()
    seen = personal.count()
    page.evaluate("fetch('/api/me/page').then((answer) => answer.json())")
    expect(personal).to_have_count(seen + 1)
    expect(requests.first).to_contain_text("/api/me/page")


def test_the_panel_turns_itself_off(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(360, theme="dark", language="zh")
    page.goto("/lens/")
    page.get_by_role("button", name="打开透视").click()
    page.goto("/notes/")
    page.locator("[data-lens-open]").click()
    page.locator("#lens-drawer").get_by_role("button", name="关掉透视").click()
    expect(page.locator("[data-lens]")).to_have_count(0)
    assert page.url.endswith("/notes/")
