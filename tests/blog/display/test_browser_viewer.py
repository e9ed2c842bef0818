"""The full-screen photo viewer and the share sheet, in Chromium."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.blog.writing import photos
from tests import chromium_pages
from tests.blog import authors, makers
from tests.page_opening import open_page
from tests.sample_pictures import make_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def note(alice: User) -> Note:
    """With two photos."""
    note = makers.note(alice, photos=0)
    for position in range(2):
        authors.photo_with_files(alice, note=note, position=position)
    return note


def open_viewer(page: Page, note: Note) -> None:
    page.goto(note.get_absolute_url())
    chromium_pages.wait_for_scripts(page)
    page.locator("a[data-photo]").first.click()
    expect(page.get_by_role("dialog", name="Photos")).to_be_visible()


def test_photos_are_looked_through_by_keys_and_the_note_is_shared(
    page_at: chromium_pages.PageAt, note: Note
) -> None:
    page = page_at(360)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_viewer(page, note)
    viewer = page.get_by_role("dialog", name="Photos")
    expect(viewer.get_by_text("1/2")).to_be_visible()
    expect(viewer.get_by_role("button", name="Close")).to_be_focused()
    expect(viewer.get_by_role("button", name="Previous photo")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(viewer.get_by_text("2/2")).to_be_visible()
    expect(viewer.get_by_role("button", name="Next photo")).to_be_hidden()
    page.keyboard.press("Home")
    expect(viewer.get_by_text("1/2")).to_be_visible()
    for _ in range(6):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    page.go_back()
    expect(viewer).to_have_count(0)
    assert page.url.endswith(note.get_absolute_url())
    expect(page.locator("a[data-photo]").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(viewer).to_be_visible()
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    page.get_by_role("link", name="Share", exact=True).focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Share")
    sheet.get_by_role("button", name="Copy").click()
    expect(sheet.get_by_role("status")).to_have_text("The link is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert chromium_pages.horizontal_overflow(page) == 0
    sheet.get_by_role("button", name="Close").click()
    expect(page.get_by_role("link", name="Share", exact=True)).to_be_focused()
    assert page_at.complaints == []


def test_a_photo_grows_by_wheel_and_double_press_and_is_swiped(
    page_at: chromium_pages.PageAt, note: Note
) -> None:
    page = page_at(360)
    open_viewer(page, note)
    stage = page.locator(".viewer__stage")
    scale = "new DOMMatrix(getComputedStyle(document.querySelector('.viewer__stage img')).transform).a"
    page.mouse.move(180, 400)
    page.mouse.wheel(0, -400)
    chromium_pages.wait_for(page, f"{scale} > 1.5")
    stage.dblclick(position={"x": 180, "y": 400})
    chromium_pages.wait_for(page, f"{scale} === 1")
    stage.dblclick(position={"x": 180, "y": 400})
    chromium_pages.wait_for(page, f"{scale} === 2.5")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.mouse.move(300, 400)
    page.mouse.down()
    page.mouse.move(100, 405, steps=4)
    page.mouse.up()
    expect(page.locator(".viewer__count")).to_have_text("2/2")
    assert page_at.complaints == []


def test_a_long_strip_fills_the_window_from_side_to_side(page_at: chromium_pages.PageAt, alice: User) -> None:
    strip = authors.upload_file(make_picture("PNG", size=(720, 9_000)))
    note = makers.note(alice, photos=0)
    Photo.objects.filter(pk=photos.upload(alice, strip).pk).update(note=note)
    page = page_at(360)
    open_viewer(page, note)
    stage = page.locator(".viewer__stage")
    image = "document.querySelector('.viewer__stage img')"
    box = f"{image}.getBoundingClientRect()"
    shown = f"Math.min({box}.width, {box}.height * 720 / 9000)"
    chromium_pages.wait_for(page, f"{image}.naturalWidth === 720 && {shown} < 100")
    stage.dblclick(position={"x": 180, "y": 400})
    chromium_pages.wait_for(page, f"Math.abs({shown} - 360) < 2")
    assert page_at.complaints == []


def test_a_photo_is_reported_behind_the_dots_and_not_by_its_owner(
    page_at: chromium_pages.PageAt, note: Note, alice: User, bob: User
) -> None:
    page = open_page(page_at(360), bob, note.get_absolute_url())
    page.locator("a[data-photo]").first.click()
    viewer = page.get_by_role("dialog", name="Photos")
    report = viewer.get_by_role("link", name="Report")
    expect(report).to_be_hidden()
    viewer.get_by_label("More").click()
    report.click()
    expect(page).to_have_url(re.compile(r"/report/photo/\d+/$"))
    own = open_page(page_at(360), alice, note.get_absolute_url())
    own.locator("a[data-photo]").first.click()
    expect(own.locator(":root")).to_have_attribute("data-reader", "person")
    expect(own.get_by_role("dialog", name="Photos").get_by_text("1/2")).to_be_visible()
    expect(own.locator(".viewer__more")).to_have_count(0)


#: How much of a box its children and the gaps between them (8 pixels at most) cover: 1 if no hole is left.
COVERED = """
(album) => {
  const box = album.getBoundingClientRect();
  const tiles = [...album.children].map((one) => one.getBoundingClientRect());
  const inside = (x, y) => tiles.some((tile) =>
    x > tile.left - 8 && x < tile.right + 8 && y > tile.top - 8 && y < tile.bottom + 8);
  let points = 0, hit = 0;
  for (let x = box.left + 1; x < box.right; x += 10)
    for (let y = box.top + 1; y < box.bottom; y += 10) { points += 1; hit += inside(x, y); }
  return hit / points;
}
"""


@pytest.mark.parametrize("width", [360, 1280])
def test_a_shops_album_leaves_no_hole_for_any_number_of_photos(
    page_at: chromium_pages.PageAt, alice: User, width: int
) -> None:
    page, shop = page_at(width), makers.shop()
    for count in range(7):
        if count:
            authors.photo_with_files(
                alice, note=makers.note(alice, shop=shop, photos=0, rating=5), position=0
            )
        page.goto(shop.get_absolute_url())
        tiles = page.locator(".album > *")
        assert tiles.count() == min(max(count, 1), 5)
        assert page.locator(".album").evaluate(COVERED) == 1
        sources = page.locator(".album img").evaluate_all("(all) => all.map((one) => one.src)")
        assert len(set(sources)) == len(sources)
        assert page.locator(".album__all").count() == (count > 5)
