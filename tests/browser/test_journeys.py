"""Whole journeys through the site; CONTRIBUTING.md lists them with those of other files."""

import re
from datetime import timedelta
from io import BytesIO

import pytest
from django.utils import timezone
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from apps.demo import logins
from tests import chromium_pages, sites
from tests.browser import site_browsers
from tests.browser.neighbours import Neighbour

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MOVER, NEW_PHONE = "+8613800001160", "+8613800001990"
WRITER, READER = "+8613800001162", "+8613800001163"
#: Nobody of the demo, who would have orders and notes.
LEAVER = "+8613900001164"
#: What a date field of the admin holds.
FIELD_TIME = "%Y-%m-%dT%H:%M"

AUTHOR, NEW_READER, CUSTOMER = "+8613800001150", "+8613800001151", "+8613800000100"
OTHERS = [f"+861380000115{digit}" for digit in range(2, 6)]
TITLE = "The lamp over table four"
LINKS = "cards => cards.map(card => card.querySelector('a[href^=\"/notes/\"]').getAttribute('href'))"


def log_in_at(visit: site_browsers.SiteBrowsers, phone: str, path: str) -> Page:
    """Open a page in a new browser, as the person with this phone."""
    page = visit()
    page.goto(f"/login/?next={path}")
    site_browsers.log_in(page, phone)
    if "/welcome/" in page.url:
        # Who is new may say first what they are called.
        page.get_by_role("main").get_by_text("Not now").click()
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
    visit.ends_login = True
    page = log_in_at(visit, MOVER, "/me/phone/")
    page.get_by_label("New phone number").fill(NEW_PHONE)
    press(page, "Send a code to my current number")
    type_shown_code(page)
    type_shown_code(page)
    again = log_in_at(visit, NEW_PHONE, "/me/phone/")
    expect(again.get_by_text(NEW_PHONE)).to_be_visible()


def test_an_account_is_deleted_and_taken_back(visit: site_browsers.SiteBrowsers) -> None:
    visit.ends_login = True
    page = log_in_at(visit, LEAVER, "/me/delete/")
    press(page, "Send a code to")
    page.get_by_label("Code").fill(site_browsers.read_login_code(page))
    # Six digits alone delete nothing.
    press(page, "Delete my account")
    page.goto("/me/")
    expect(page.get_by_role("button", name="Send me a code")).to_be_visible()
    again = log_in_at(visit, LEAVER, "/me/")
    expect(again.get_by_text("Your account stays")).to_be_visible()


def test_a_shop_is_saved_into_a_list_and_taken_out_and_put_back(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page = visit(1280, state=resident.state)
    page.goto("/shops/1/")
    chromium_pages.wait_for_scripts(page)
    name = page.get_by_role("heading", level=1).inner_text()
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_role("button", name=re.compile("^Saved"))).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name="Save to a list").click()
    dialog = page.get_by_role("dialog", name="Save to a list")
    dialog.get_by_label("New list").fill("Rainy days")
    with page.expect_navigation():
        dialog.get_by_role("button", name="Save").click()
    page.goto("/me/saves/?kind=lists")
    with page.expect_navigation():
        page.get_by_role("link", name="Rainy days").click()
    row = page.locator(".list-row", has_text=name)
    chromium_pages.wait_for_scripts(page)
    row.get_by_role("button", name="Take out of this list").click()
    row.get_by_role("button", name="Undo").click()
    expect(row.get_by_role("button", name="Take out of this list")).to_be_visible()
    page.reload()
    expect(row.get_by_role("link", name=name)).to_be_visible()


def log_in_as_staff(visit: site_browsers.SiteBrowsers, phone: str, path: str) -> Page:
    """Open a page of the admin in a new browser."""
    page = visit(1280)
    page.goto(f"/admin/login/?next={path}")
    page.fill("[name=username]", phone)
    page.fill("[name=password]", logins.MANAGER_PASSWORD)
    with page.expect_navigation():
        page.click("button[type=submit]")
    return page


def test_a_note_is_reported_and_hidden_and_its_author_objects(
    visit: site_browsers.SiteBrowsers, city: sites.Site
) -> None:
    text = "Call this number for cheap watches"
    note = Neighbour(city, WRITER).send("POST", "/api/notes", shop_id=2, text=text, rating=5, publish=True)
    reader = log_in_at(visit, READER, f"/notes/{note['id']}/")
    chromium_pages.wait_for_scripts(reader)
    reader.locator("summary[aria-label=More]").click()
    reader.get_by_role("link", name="Report this note").click()
    sheet = reader.get_by_role("dialog", name="Report this note")
    sheet.get_by_role("radio").first.check()
    sheet.get_by_role("button", name="Report").click()
    expect(reader.get_by_role("dialog", name="Thank you")).to_be_visible()

    desk = log_in_as_staff(visit, logins.MODERATOR_PHONE, "/admin/moderation/case/")
    desk.locator("#result_list").get_by_role("link", name=re.compile("watches")).first.click()
    expect(desk.get_by_text(text).first).to_be_visible()
    desk.locator("[name=is_hidden]").check()
    desk.locator("[name=reason]").fill("This is advertising.")
    with desk.expect_navigation():
        desk.get_by_role("button", name="Decide").click()

    author = log_in_at(visit, WRITER, "/notifications/")
    author.locator(".mailbox-row__sentence").first.click()
    expect(author.get_by_text("This is advertising.")).to_be_visible()
    author.get_by_label("You see it differently? Say why").fill("I only told of a watchmaker.")
    press(author, "Send the objection")
    expect(author.get_by_text("Staff has not answered yet.")).to_be_visible()


@pytest.mark.journey
def test_an_owner_copies_a_sale_and_schedules_it(visit: site_browsers.SiteBrowsers) -> None:
    page = log_in_as_staff(visit, logins.OWNER_PHONE, "/admin/coupons/flashsale/")
    page.locator("#result_list tbody th a").first.click()
    title = "Copied and scheduled"
    with page.expect_navigation():
        page.get_by_role("link", name="Copy this sale").click()
    expect(page.locator("[name=price]")).not_to_have_value("")
    page.fill("[name=title_en]", title)
    page.get_by_label("at a time I choose", exact=True).check()
    now = timezone.localtime()
    page.fill("[name=begins_at]", (now + timedelta(hours=3)).strftime(FIELD_TIME))
    page.fill("[name=publish_at]", (now + timedelta(hours=1)).strftime(FIELD_TIME))
    with page.expect_navigation():
        page.get_by_role("button", name="Put it on sale").click()
    expect(page.get_by_text("The flash sale is saved.")).to_be_visible()
    sale = re.search(r"/flashsale/(\d+)/", page.url)
    assert sale
    visitor = visit()
    assert site_browsers.get_status(visitor, f"/vouchers/{sale[1]}/") == 404
    visit.complaints.clear()  # The browser itself notes the refused page.


def test_a_place_is_found_by_filters_and_rankings_and_the_way_there(
    visit: site_browsers.SiteBrowsers,
) -> None:
    page = visit(1280)
    page.goto("/")
    page.get_by_role("searchbox", name="Search").last.fill("noodle")
    page.keyboard.press("Enter")
    with page.expect_navigation(url=re.compile("kind=shops")):
        page.get_by_role("link", name=re.compile("^Shops ")).click()
    chromium_pages.wait_for_scripts(page)
    shops = page.locator(".hit")
    all_shops = shops.count()
    # Not "Open now": in the middle of the night no shop is, and nothing is offered that finds nothing.
    box = page.locator(".search-check input").first
    box.check()
    expect(page).to_have_url(re.compile(f"{box.get_attribute('name')}="))
    assert 0 < shops.count() <= all_shops
    page.goto("/shops/?type=food")
    page.get_by_role("link", name="Ranking", exact=True).click()
    page.locator(".ranking .shop-card__name a").first.click()
    expect(page.locator(".shop-title")).to_contain_text("Food")
    way = page.locator("a.action--finger")
    expect(way).to_have_attribute("href", "#directions")
    page.locator("a.action--mouse").click()
    expect(page.locator("#where")).to_be_in_viewport()
    expect(page.locator("#where .map-mark .pin")).to_be_visible()


def photo(colour: str, size: tuple[int, int]) -> FilePayload:
    file = BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    return {"name": f"{colour}.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


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

    reader = log_in_at(visit, NEW_READER, path)
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
