"""Reading and buying work without JavaScript."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import site_browsers

pytestmark = pytest.mark.browser


def press(control: Locator) -> None:
    """Click a control and wait for the next page; without scripts every control leads to one."""
    with control.page.expect_navigation():
        control.click()


def reload_until(page: Page, selector: str) -> None:
    """Press "Look again" until the selector is visible, as a person does while the order is processed."""
    for _ in range(60):
        if page.locator(selector).is_visible():
            return
        page.wait_for_timeout(300)
        press(page.get_by_role("link", name="Look again"))
    pytest.fail(f"{selector} never came")


def test_home_list_and_shop_are_read(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(scripts=False)
    page.goto("/")
    expect(page.locator(".flash-card__title").first).to_be_visible()
    expect(page.locator(".grid--pairs .shop-card")).to_have_count(8)
    page.get_by_label("City", exact=True).select_option("shanghai")
    press(page.get_by_role("button", name="Go"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Shanghai")
    press(page.get_by_role("link", name="All shops").last)
    press(page.get_by_role("link", name="Show more"))
    expect(page.locator(".shop-card").first).to_be_visible()
    press(page.locator(".shop-card__name a").first)
    expect(page.locator(".facts")).to_contain_text("Hours")


def test_the_map_page_says_what_it_needs_and_lists_the_shops(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(scripts=False)
    page.goto("/shops/map/")
    expect(page.locator(".map-frame noscript p")).to_have_text("The map needs JavaScript; the list does not.")
    expect(page.locator(".map-row").first).to_be_visible()


def test_a_sale_to_come_says_when(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(scripts=False)
    page.goto(resident.coming)
    expect(page.locator("#grab .countdown").first).to_have_text(re.compile(r"\d\d:\d\d"))
    expect(page.locator("#grab .stock")).to_contain_text("10 left")


def test_a_coupon_is_grabbed_paid_and_shown(
    visit: site_browsers.SiteBrowsers, running: str, resident: site_browsers.Resident
) -> None:
    page = visit(scripts=False, state=resident.state)
    page.goto(running)
    press(page.get_by_role("button", name="Grab it now"))
    assert "/orders/" in page.url
    reload_until(page, "#pay")
    press(page.get_by_role("button", name="Pay now"))
    press(page.get_by_role("button", name="Pay", exact=True))
    reload_until(page, ".qr__code svg")


def test_an_order_is_cancelled_after_a_page_that_asks(
    visit: site_browsers.SiteBrowsers, running: str, resident: site_browsers.Resident
) -> None:
    with_scripts = visit(state=resident.state)
    path = site_browsers.grab_unpaid_order(with_scripts, running)
    page = visit(scripts=False, state=resident.state)
    page.goto(path)
    press(page.get_by_text("Cancel the order").first)
    page.wait_for_url("**/cancel/")
    press(page.get_by_role("button", name="Cancel the order"))
    expect(page.get_by_text("This order is cancelled")).to_be_visible()


def test_a_person_logs_in(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(scripts=False)
    page.goto("/login/?next=/me/sessions/")
    page.get_by_label("Phone number").fill("13800001005")
    press(page.get_by_role("button", name="Send me a code"))
    page.get_by_label("Code").fill(site_browsers.read_login_code(page))
    press(page.get_by_role("button", name="Log in"))
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


def test_notes_are_read_liked_and_their_author_followed(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(scripts=False, state=resident.state)
    page.goto(site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']"))
    # The page is everybody's: a press turns what there was, and the next page says what is so now.
    assert said_by_two_presses(page, ".note__foot .heart__button") == {
        "You like this note.",
        "You no longer like this note.",
    }
    press(page.locator("main a[href^='/people/']").first)
    assert said_by_two_presses(page, ".follow button") == {
        "You follow this person now.",
        "You no longer follow this person.",
    }


def said_by_two_presses(page: Page, selector: str) -> set[str]:
    """The messages of the pages after each press of a button."""
    found = set()
    for _ in range(2):
        press(page.locator(selector).first)
        found.add(page.locator(".toast p").inner_text())
    return found


def test_a_visitor_grabs_by_a_form_after_the_log_in(
    visit: site_browsers.SiteBrowsers, running: str, resident: site_browsers.Resident
) -> None:
    page, grab = visit(language="zh", scripts=False), "立即抢购"
    page.goto(running)
    press(page.get_by_role("button", name=grab))
    assert page.url.endswith(f"/login/?next={quote(running, safe='')}")
    page = visit(language="zh", scripts=False, state=resident.state)
    page.goto(running)
    press(page.get_by_role("button", name=grab))
    assert "/orders/" in page.url
    mine = page.url
    page.goto(running)
    press(page.get_by_role("button", name=grab))
    assert page.url == mine


@pytest.mark.parametrize(
    ("language", "said"), [("en", "The sale has not begun yet."), ("zh", "秒杀还没有开始。")]
)
def test_a_refused_form_leads_to_a_page_that_says_why(
    visit: site_browsers.SiteBrowsers,
    resident: site_browsers.Resident,
    language: site_browsers.Language,
    said: str,
) -> None:
    page = visit(language=language, scripts=False, state=resident.state)
    page.goto(f"{resident.coming}?reason=not_started")
    expect(page.get_by_text(said)).to_be_visible()


def test_the_feed_goes_on_and_a_day_is_checked_in(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(scripts=False, state=resident.state)
    page.goto("/feed/")
    first = page.locator(".note-card a[href^='/notes/']").first.get_attribute("href")
    press(page.get_by_role("link", name="Show more"))
    expect(page.locator(".note-card").first).to_be_visible()
    assert page.locator(".note-card a[href^='/notes/']").first.get_attribute("href") != first
    page.goto("/sign-in/")
    if page.get_by_role("button", name="Check in").is_visible():
        press(page.get_by_role("button", name="Check in"))
    expect(page.get_by_text("Checked in today")).to_be_visible()
