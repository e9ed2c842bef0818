"""The button that undoes a removal, on a line that drops and on a slow one."""

import pytest
from playwright.sync_api import Page, Route, expect

from apps.accounts.models import User
from apps.saves import saves
from apps.saves.models import Save
from apps.saves.subjects import Subject
from tests import chromium_pages
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
UNDO_PATH = "**/saves/undo/**"


def open_with_undo(page: Page, person: User, place: Subject) -> Page:
    """A shop's page of which the person has just removed what they had saved."""
    saves.save(person.pk, place)
    open_page(page, person, place.page_url)
    button = page.locator(".save__button")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(page.get_by_text("Removed from what you saved.")).to_be_visible()
    return page


def test_an_undo_that_no_answer_came_to_can_be_pressed_again(
    page_at: chromium_pages.PageAt, alice: User, place: Subject
) -> None:
    page = open_with_undo(page_at(360), alice, place)
    page.route(UNDO_PATH, lambda route: route.abort(), times=2)
    undo = page.get_by_role("button", name="Undo")
    failed = page.get_by_text("That did not work. Check your connection and try again.")
    for _ in range(2):
        with page.expect_event("requestfailed"):
            undo.click()
        # Said once, however often it fails.
        expect(failed).to_have_count(1)
    undo.click()
    expect(page.get_by_text("It is back.")).to_be_visible()
    expect(undo).to_have_count(0)
    assert Save.objects.filter(user=alice).exists()


def test_an_undo_that_takes_longer_than_its_words_stay_is_said(
    page_at: chromium_pages.PageAt, alice: User, place: Subject
) -> None:
    page, held = page_at(360), list[Route]()
    page.clock.install()
    open_with_undo(page, alice, place)
    page.route(UNDO_PATH, lambda route: held.append(route), times=1)
    with page.expect_request(UNDO_PATH):
        page.get_by_role("button", name="Undo").click()
    page.mouse.move(0, 0)
    page.clock.fast_forward(10_000)
    held[0].continue_()
    expect(page.get_by_text("It is back.")).to_be_visible()
