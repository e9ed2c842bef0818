"""What a page asks of its reader in a real browser: on a long list, and on a line that drops."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import User
from apps.accounts.personal import parts
from apps.blog import likes
from tests import chromium_pages
from tests.blog import makers
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ANSWER_PATH = "**/api/me/page?**"


def test_every_heart_of_a_long_list_is_right_on_the_way_back(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    count = parts.MAX_IDS + 5
    for _ in range(count):
        likes.like(makers.note(alice).pk, bob.pk)
    page = open_page(page_at(1280), bob, "/notes/?tab=new")
    pressed = page.locator("[data-like][aria-pressed=true]")
    for seen in range(40, count + 20, 20):
        page.locator(".load-more").scroll_into_view_if_needed()
        expect(page.locator("[data-like]")).to_have_count(min(seen, count))
    expect(pressed).to_have_count(count)
    # As the browser's memory brings it back, which Playwright's browsers don't have.
    page.evaluate("for (const one of document.querySelectorAll('[data-like]')) one.ariaPressed = 'false'")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(pressed).to_have_count(count)


def test_a_page_whose_question_was_lost_asks_again_once_the_network_is_back(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    page = page_at(360)
    page.route(ANSWER_PATH, lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        open_page(page, bob, note.get_absolute_url())
    page.context.set_offline(True)
    page.context.set_offline(False)
    expect(page.locator("html")).to_have_attribute("data-reader", "person")
    expect(page.locator("[data-like]").first).to_have_attribute("aria-pressed", "true")
