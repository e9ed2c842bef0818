"""Writing a note in a real browser: photos go up while one writes, and the page shows what was written."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Locator, Page, Route, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.blog.writing import notes
from tests import chromium_pages
from tests.blog import makers
from tests.browser.page_faults import find_axe_violations
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
COUNT_PROGRESS = """
  window.steps = 0;
  new MutationObserver((seen) => (window.steps += seen.length))
    .observe(document.querySelector("[data-tiles]"), { subtree: true, attributeFilter: ["value"] });
"""
ALL_LOADED = "[...document.querySelectorAll('.gallery img')].every((one) => one.complete && one.naturalWidth)"
PHONE: ViewportSize = {"width": 360, "height": 740}
FOCUSED_PHOTO = "document.activeElement.closest('[data-tile]').querySelector('[name=photos]').value"


def drawn(number: int, size: tuple[int, int] = (1200, 900)) -> FilePayload:
    """A picture of its own colours, as a phone would send it."""
    ramp = Image.linear_gradient("L").resize(size)
    other = Image.radial_gradient("L").resize(size)
    bands = (ramp, other, ramp.rotate(60 * number))
    image, file = Image.merge("RGB", bands[number % 3 :] + bands[: number % 3]), BytesIO()
    image.save(file, "JPEG", quality=92)
    return {"name": f"{number}.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


def tiles(page: Page, state: str = "kept") -> Locator:
    return page.locator(f"[data-tile][data-state={state}]")


def add(page: Page, *files: FilePayload) -> None:
    page.get_by_label("Add photos").set_input_files(list(files))


def write(page: Page, stars: int = 4) -> None:
    page.get_by_role("group", name="Stars").get_by_role("radio", name=f"{stars} stars").check()
    page.get_by_label("Title").fill("Broth that forgives")
    page.get_by_label("Your note").fill("We waited ten minutes.\n\nWe would wait an hour.")


def composer(page: Page, user: User) -> Page:
    return open_page(page, user, f"/notes/new/?shop={makers.shop().pk}")


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_a_note_with_three_photos(
    page_at: chromium_pages.PageAt, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    page = composer(page_at(width, theme=theme), alice)
    page.evaluate(COUNT_PROGRESS)
    add(page, drawn(0), drawn(1, (900, 1200)), drawn(2))
    write(page)
    expect(tiles(page)).to_have_count(3)
    assert page.evaluate("window.steps") >= 3
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    note = Note.objects.published().get()
    assert page.url.endswith(note.get_absolute_url())
    assert [(photo.width, photo.height) for photo in note.photos.all()] == [
        (1200, 900),
        (900, 1200),
        (1200, 900),
    ]
    assert note.text == "We waited ten minutes.\n\nWe would wait an hour."
    page.get_by_role("link", name="Photo 3", exact=True).click()
    chromium_pages.wait_for(page, ALL_LOADED)
    assert chromium_pages.horizontal_overflow(page) == 0


def test_publishing_waits_for_photos_on_their_way(page_at: chromium_pages.PageAt, alice: User) -> None:
    page, held = composer(page_at(360), alice), list[Route]()
    page.route("**/notes/photos/", lambda route: held.append(route), times=1)
    write(page)
    with page.expect_request("**/notes/photos/"):
        add(page, drawn(0), drawn(1))
    publish = page.get_by_role("button", name="Publish")
    publish.click()
    expect(publish).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    page.wait_for_url(re.compile(r"/notes/\d+/$"))
    assert Note.objects.published().get().photos.count() == 2


def test_photos_are_moved_by_button_and_arrow_key(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = composer(page_at(360), alice)
    add(page, drawn(0), drawn(1), drawn(2))
    expect(tiles(page)).to_have_count(3)
    first, second, third = Photo.objects.order_by("pk").values_list("pk", flat=True)
    tiles(page).nth(2).get_by_role("button", name="Move forward").click()
    expect(page.locator("#live")).to_have_text("Photo 2 of 3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#live")).to_have_text("Photo 1 of 3")
    assert page.evaluate(
        "document.activeElement.closest('[data-tile]').querySelector('[name=photos]').value"
    ) == str(third)
    tiles(page).nth(1).get_by_role("button", name="Remove this photo").press("Enter")
    write(page)
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url(re.compile(r"/notes/\d+/$"))
    assert [photo.pk for photo in Note.objects.get().photos.all()] == [third, second]
    assert first != second


def test_a_photo_that_fails_says_why_and_has_a_way_on(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = composer(page_at(360), alice)
    add(page, {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": b"text"})
    expect(tiles(page, "failed")).to_contain_text("This is no picture we can read")
    page.route("**/notes/photos/", lambda route: route.abort())
    add(page, drawn(0))
    expect(tiles(page, "failed").nth(1)).to_contain_text("This photo did not arrive.")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast--error")).to_contain_text("Some photos did not arrive")
    page.unroute("**/notes/photos/")
    tiles(page, "failed").nth(1).get_by_role("button", name="Try again").click()
    expect(tiles(page)).to_have_count(1)
    tiles(page, "failed").get_by_role("button", name="Remove this photo").click()
    expect(tiles(page, "failed")).to_have_count(0)


def test_a_photo_waits_while_another_of_its_person_is_drawn(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = composer(page_at(360), alice)
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) == 2:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(status=429, headers={"Retry-After": "1"}, json={"detail": "One at a time."})

    page.route("**/notes/photos/", refuse_twice)
    add(page, drawn(1), drawn(2))
    expect(tiles(page)).to_have_count(2)
    assert len(refused) == 2
    assert Photo.objects.count() == 2
    page.unroute("**/notes/photos/")
    page.route("**/notes/photos/", lambda route: route.fulfill(status=429, headers={"Retry-After": "3600"}))
    add(page, drawn(3))
    expect(tiles(page, "failed")).to_have_count(1)


def test_what_was_refused_and_is_mended_is_no_longer_called_wrong(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = composer(page_at(360), alice)
    page.get_by_role("button", name="Publish").click()
    errors = page.locator(".field__error:visible")
    expect(errors).to_have_text(["Give one to five stars.", "Write a title or a few words."])
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("group", name="Stars").get_by_role("radio", name="4 stars").check()
    expect(errors).to_have_count(1)
    # One of the two is enough.
    page.get_by_label("Title").fill("Broth that forgives")
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    expect(errors).to_have_count(0)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()


def test_a_tenth_photo_is_not_taken(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = composer(page_at(360), alice)
    add(page, *[drawn(number, (60, 40)) for number in range(10)])
    expect(page.locator(".toast--warning")).to_contain_text("at most 9 photos")
    expect(tiles(page)).to_have_count(9)
    expect(page.locator("[data-add]")).to_be_hidden()


def test_a_note_is_edited_deleted_and_brought_back(page_at: chromium_pages.PageAt, alice: User) -> None:
    note = makers.note(alice, photos=2)
    page = open_page(page_at(1280), alice, f"/notes/{note.pk}/")
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_role("group", name="Stars").get_by_role("radio", name="5 stars")).to_be_checked()
    page.get_by_label("Title").fill("Better broth")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Better broth")).to_be_visible()
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("link", name="Delete this note").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    assert Note.objects.published().exists()
    page.get_by_role("link", name="Delete this note").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Better broth")).to_be_visible()
    assert Note.objects.published().get() == note


def test_nothing_shuts_people_out(page_at: chromium_pages.PageAt, alice: User) -> None:
    draft, gone = makers.note(alice, status="draft", published_at=None), makers.note(alice)
    page = composer(page_at(360), alice)
    add(page, drawn(0), {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": b"text"})
    expect(tiles(page, "failed")).to_have_count(1)
    found = {"composer": find_axe_violations(page)}
    notes.delete(gone)
    for path in (
        f"/notes/{draft.pk}/",
        f"/notes/{draft.pk}/edit/",
        f"/notes/{draft.pk}/delete/",
        "/me/notes/?deleted=1",
        "/notes/new/?q=zzz",
    ):
        page.goto(path)
        found[path] = find_axe_violations(page)
        assert chromium_pages.horizontal_overflow(page) == 0, path
    assert not {place: why for place, why in found.items() if why}


def test_a_note_is_written_without_scripts(
    browser: Browser, live_server: LiveServer, page_at: chromium_pages.PageAt, alice: User
) -> None:
    state = composer(page_at(360), alice).context.storage_state()
    plain = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, storage_state=state, viewport=PHONE
    )
    page = plain.new_page()
    page.goto(f"/notes/new/?shop={makers.shop().pk}")
    page.get_by_label("Add photos").set_input_files([drawn(0), drawn(1)])
    page.get_by_label("Title").fill("Broth that forgives")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Give one to five stars.")).to_be_visible()
    page.get_by_label("Keep").nth(0).uncheck()
    page.get_by_role("group", name="Stars").get_by_role("radio", name="3 stars").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    note = Note.objects.published().get()
    assert [(photo.width, photo.height) for photo in note.photos.all()] == [(1200, 900)]
    page.goto("/me/notes/")
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    plain.close()
