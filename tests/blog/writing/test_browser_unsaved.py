"""A slip of the finger in the composer loses no words: they are a draft, or the browser asks."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from apps.accounts.models import User
from tests import chromium_pages
from tests.blog import makers
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FORBID_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('forbidden', 'SecurityError'); }"


def leave_questions(page: Page) -> list[str]:
    """The questions that the browser asks from now on; each is answered with "stay"."""
    heard: list[str] = []

    def stay(dialog: Dialog) -> None:
        heard.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    return heard


def composer(page: Page, user: User) -> Page:
    """Of a draft that lacks its stars."""
    draft = makers.note(user, draft=True, rating=None)
    return open_page(page, user, f"/notes/{draft.pk}/edit/")


def test_a_browser_that_keeps_nothing_asks(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = page_at(360)
    page.add_init_script(FORBID_STORAGE)
    composer(page, alice)
    questions, words = leave_questions(page), page.get_by_label("Your note")
    words.fill("We would wait an hour.")
    page.get_by_role("link", name="Back to the note").click(no_wait_after=True)
    while not questions:
        page.wait_for_timeout(50)
    expect(words).to_have_value("We would wait an hour.")
    assert questions == ["beforeunload"]


def test_what_is_a_draft_is_left_without_a_word(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = composer(page_at(360), alice)
    questions, words = leave_questions(page), page.get_by_label("Your note")
    words.fill("We would wait an hour.")
    page.get_by_role("link", name="Back to the note").click()
    page.get_by_role("link", name="Edit").click()
    expect(words).to_have_value("We would wait an hour.")
    assert questions == []


def test_what_was_refused_is_a_draft_too(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = composer(page_at(360), alice)
    questions = leave_questions(page)
    page.get_by_label("Title").fill("Broth that forgives")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Give one to five stars.")).to_be_visible()
    expect(page.get_by_role("group", name="Stars").get_by_role("radio", name="1 star")).to_be_focused()
    expect(page.get_by_role("group", name="Stars").get_by_role("radio", name="1 star")).to_be_in_viewport()
    chromium_pages.wait_for_scripts(page)
    # Browsers ask nobody who has not touched the page.
    page.get_by_label("Title").click()
    page.get_by_role("link", name="Back to the note").click()
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Title")).to_have_value("Broth that forgives")
    assert questions == []


def test_what_is_kept_and_what_nobody_touched_is_left_without_a_word(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = composer(page_at(1280), alice)
    questions = leave_questions(page)
    page.get_by_label("Title").focus()
    page.get_by_role("link", name="Back to the note").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Title").fill("Broth that forgets")
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Broth that forgets")
    page.goto("/notes/")
    assert questions == []
