"""Everything important can be done with the keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = pytest.mark.browser


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the selector has the focus; fails after 40 stops."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"no way to {selector} by Tab")


def is_marked(page: Page) -> bool:
    """Tell whether the focused element has a visible outline or shadow."""
    style = "(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none')"
    return bool(page.evaluate(f"{style}(getComputedStyle(document.activeElement))"))


def test_the_first_stop_leads_to_the_content(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/shops/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_coupon_is_grabbed_and_paid_with_the_keyboard_alone(
    visit: site_browsers.SiteBrowsers, running: str
) -> None:
    page = visit(1280)
    page.goto(f"/login/?next={running}")
    tab_to(page, "#id_phone")
    page.keyboard.type("138 0000 1004")
    page.keyboard.press("Enter")
    # The code field asks for the focus by itself.
    code = site_browsers.read_login_code(page)
    chromium_pages.wait_for_scripts(page)
    expect(page.get_by_label("Code")).to_be_focused()
    with page.expect_navigation():
        page.keyboard.type(code)
    chromium_pages.wait_for_scripts(page)
    tab_to(page, ".grab__btn--hot")
    assert is_marked(page)
    page.keyboard.press("Enter")
    expect(page.locator("#grab").get_by_text("You got it!")).to_be_visible()
    tab_to(page, "a.grab__btn")
    page.keyboard.press("Enter")
    expect(page.locator("#pay")).to_be_visible(timeout=15_000)
    tab_to(page, "#pay")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pay", exact=True)).to_be_visible()
    tab_to(page, "main button.btn--primary")
    page.keyboard.press("Enter")
    expect(page.locator(".qr")).to_be_visible()
    expect(page.locator("#order-state")).to_be_focused()


def test_the_question_before_cancelling_is_closed_with_escape(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident, running: str
) -> None:
    page = visit(state=resident.state)
    site_browsers.grab_unpaid_order(page, running)
    expect(page.locator("#cancel-link")).to_have_attribute("aria-haspopup", "dialog")
    tab_to(page, "#cancel-link")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#cancel-link")).to_be_focused()


def test_a_note_is_liked_and_answered_with_the_keyboard_alone(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(1280, state=resident.state)
    page.goto(site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']"))
    chromium_pages.wait_for_scripts(page)
    heart = page.locator(".note__foot .heart__button")
    before = heart.get_attribute("aria-pressed")
    tab_to(page, ".note__foot .heart__button")
    assert is_marked(page)
    page.keyboard.press("Enter")
    expect(heart).not_to_have_attribute("aria-pressed", str(before))
    expect(heart).to_be_focused()
    tab_to(page, "textarea")
    page.keyboard.type("Typed without a mouse")
    tab_to(page, ".comment-form button")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Typed without a mouse")).to_be_visible()
