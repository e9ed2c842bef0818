"""A note is liked and its author followed; both people are notified. Also: a long scroll, a streak."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from tests import sites
from tests.browser import site_browsers
from tests.browser.neighbours import Neighbour

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
AUTHOR, READER, CUSTOMER = "+8613800001150", "+8613800001151", "+8613800000100"
OTHERS = [f"+861380000115{digit}" for digit in range(2, 6)]
TITLE = "The lamp over table four"
LINKS = "cards => cards.map(card => card.querySelector('a[href^=\"/notes/\"]').getAttribute('href'))"


def photo(colour: str, size: tuple[int, int]) -> FilePayload:
    file = BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    return {"name": f"{colour}.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


def log_in_at(visit: site_browsers.SiteBrowsers, phone: str, path: str) -> Page:
    page = visit()
    page.goto(f"/login/?next={path}")
    site_browsers.log_in(page, phone)
    return page


def publish_note(page: Page) -> str:
    """Publish a note with two photos about the page's shop; return the note's path."""
    page.get_by_role("link", name="Write a note").first.click()
    pictures = [photo("tomato", (1200, 900)), photo("teal", (900, 1200))]
    page.get_by_label("Add photos").set_input_files(pictures)
    page.get_by_role("group", name="Stars").get_by_role("radio", name="5 stars").check()
    page.get_by_label("Title").fill(TITLE)
    page.get_by_label("Your note").fill("Somebody dims it when you talk quietly.")
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url(re.compile(r"/notes/\d+/$"))
    return page.url.removeprefix(page.url.split("/notes/")[0])


def let_four_people_like(city: sites.Site, path: str) -> None:
    """Make four people like the note at this path."""
    for phone in OTHERS:
        Neighbour(city, phone).send("PUT", f"/api{path}like")


@pytest.mark.journey
def test_a_note_finds_its_readers(visit: site_browsers.SiteBrowsers, city: sites.Site) -> None:
    author = log_in_at(visit, AUTHOR, "/shops/3/")
    path = publish_note(author)
    expect(author.get_by_role("heading", level=1)).to_have_text(TITLE)
    let_four_people_like(city, path)

    reader = log_in_at(visit, READER, path)
    reader.locator(".note__foot .heart__button").click()
    expect(reader.locator(".note__foot .heart__button")).to_have_attribute("aria-pressed", "true")
    expect(reader.locator(".likes__first li")).to_have_count(5)
    expect(reader.locator(".note__foot .heart__button")).to_have_text(re.compile(r"5\s*$"))
    reader.locator("main a[href^='/people/']").first.click()
    reader.locator(".follow button").first.click()
    expect(reader.locator(".follow button").first).to_have_attribute("aria-pressed", "true")
    reader.goto("/feed/")
    expect(reader.locator(".note-card").first).to_contain_text(TITLE)

    author.goto("/")
    expect(author.locator(".header__bell .unread-badge")).to_have_text("2")
    author.get_by_role("link", name="Notifications 2 new").click()
    expect(
        author.locator(".mailbox-row--unread").filter(has_text=f"and 3 others liked {TITLE}")
    ).to_have_count(1)
    author.locator(".mailbox-row__sentence").filter(has_text="started following you").click()
    expect(author.locator(".unread-badge")).to_have_text("1")
    author.goto("/notifications/")
    author.get_by_role("button", name="Mark all as read").click()
    author.wait_for_load_state("networkidle")
    expect(author.locator(".unread-badge")).to_have_count(0)


def test_a_feed_of_sixty_notes_repeats_none(visit: site_browsers.SiteBrowsers) -> None:
    page = log_in_at(visit, CUSTOMER, "/feed/")
    cards = page.locator(".note-card")
    for place in range(20, 60, 20):
        page.locator(".load-more").scroll_into_view_if_needed()
        expect(cards.nth(place)).to_be_attached()
    seen = cards.evaluate_all(LINKS)
    assert len(seen) >= 60
    assert len(set(seen)) == len(seen)


def test_a_streak_goes_on(visit: site_browsers.SiteBrowsers) -> None:
    page = log_in_at(visit, CUSTOMER, "/me/")
    expect(page.locator("#check-in-card")).to_contain_text("6 days in a row")
    page.get_by_role("button", name="Check in").click()
    expect(page.locator("#check-in-card")).to_contain_text("7 days in a row")
    page.locator("#check-in-card a").first.click()
    expect(page.locator("#streak-title")).to_have_text("7 days in a row")
    expect(page.get_by_text("Checked in today")).to_be_visible()
