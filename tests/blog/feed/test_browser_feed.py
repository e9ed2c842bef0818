"""The feed in a real browser: it scrolls without end, says what is new, is refreshed by hand or finger."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.blog.feed import feed
from apps.blog.models import Note
from tests import chromium_pages
from tests.blog.feed_makers import follow, publish, publish_each_second
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LATER = timedelta(days=1)

PULL = """distance => {
  const list = document.querySelector("[data-feed]");
  const touch = y => [new Touch({ identifier: 1, target: list, clientX: 100, clientY: y })];
  const tell = (name, touches) => list.dispatchEvent(new TouchEvent(name, { touches, bubbles: true }));
  tell("touchstart", touch(200));
  tell("touchmove", touch(200 + distance));
  const words = document.querySelector("[data-feed-pull]").innerText;
  tell("touchend", []);
  return words;
}"""


def shown(page: Page) -> list[int]:
    """The notes on the page, from top to bottom."""
    paths = page.locator(".note-card__title a").evaluate_all("links => links.map(one => one.pathname)")
    return [int(path.split("/")[2]) for path in paths]


def scroll_to_the_end(page: Page, expected: int) -> None:
    for count in range(2 * feed.PAGE_SIZE, expected + feed.PAGE_SIZE, feed.PAGE_SIZE):
        page.locator(".load-more").scroll_into_view_if_needed()
        expect(page.locator(".note-card")).to_have_count(min(count, expected))


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_sixty_notes_are_scrolled_through_once_each(
    page_at: chromium_pages.PageAt, alice: User, bob: User, width: int, theme: chromium_pages.Theme
) -> None:
    follow(bob, alice)
    notes = [note.pk for note in publish_each_second(alice, 60)]
    page = open_page(page_at(width, theme=theme), bob, "/feed/")
    assert shown(page) == notes[: feed.PAGE_SIZE]
    publish(alice, after=LATER)
    Note.objects.filter(pk=notes[30]).update(status=Note.Status.DELETED)
    scroll_to_the_end(page, 59)
    assert shown(page) == notes[:30] + notes[31:]
    assert chromium_pages.horizontal_overflow(page) == 0
    assert page.evaluate("window.stayed") is True


def test_a_pill_says_what_is_new_and_brings_it(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    follow(bob, alice)
    notes = [note.pk for note in publish_each_second(alice, 30)]
    page = page_at(360)
    page.clock.install()
    open_page(page, bob, "/feed/")
    height = page.locator(".notes").bounding_box()
    late = publish(alice, after=LATER)
    page.clock.fast_forward(21_000)
    pill = page.get_by_role("status").get_by_role("link", name="1 new note")
    expect(pill).to_be_visible()
    assert page.locator(".notes").bounding_box() == height
    pill.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".note-card").first.get_by_role("link").first).to_have_attribute(
        "href", f"/notes/{late.pk}/"
    )
    expect(pill).to_have_count(0)
    expect(page.locator("#feed")).to_be_focused()
    assert shown(page) == [late.pk, *notes[: feed.PAGE_SIZE - 1]]
    assert page.evaluate("window.stayed") is True


def test_the_pill_counts_on_and_goes_with_its_notes(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    follow(bob, alice)
    page = page_at(360)
    page.clock.install()
    open_page(page, bob, "/feed/")
    for count, words in ((1, "1 new note"), (2, "2 new notes")):
        publish(alice, after=LATER * count)
        page.clock.fast_forward(21_000)
        expect(page.get_by_role("status").get_by_role("link", name=words, exact=True)).to_be_visible()
    Note.objects.update(status=Note.Status.DELETED)
    page.clock.fast_forward(21_000)
    expect(page.locator(".feed__pill")).to_have_count(0)


def test_pulling_far_enough_refreshes(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    follow(bob, alice)
    first = publish(alice)
    page = open_page(page_at(360), bob, "/feed/")
    late = publish(alice, after=LATER)
    assert page.evaluate(PULL, 60) == "Pull to refresh"
    assert page.evaluate(PULL, 200) == "Let go to refresh"
    expect(page.locator(".note-card")).to_have_count(2)
    assert shown(page) == [late.pk, first.pk]
    expect(page.locator("[data-feed-pull]")).to_be_hidden()
    assert page.evaluate("window.stayed") is True


def test_the_keyboard_refreshes(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    follow(bob, alice)
    page = open_page(page_at(1280), bob, "/feed/")
    expect(page.get_by_text("Nothing in your feed yet")).to_be_visible()
    publish(alice)
    page.get_by_role("link", name="Refresh").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".note-card")).to_have_count(1)
    assert page.evaluate("window.stayed") is True
