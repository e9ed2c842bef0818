"""The mention picker by keyboard, as a screen reader hears it."""

import os

import pytest
from playwright.sync_api import expect

from apps.accounts.models import User
from apps.accounts.relations import contacts
from apps.search.suggest import indexing
from tests import page_opening
from tests.blog import makers
from tests.chromium_pages import PageAt
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "locale"), [(360, "en-GB"), (1280, "zh-CN")])
def test_a_person_is_picked_with_the_keyboard_and_linked(
    page_at: PageAt, alice: User, bob: User, width: int, locale: str
) -> None:
    other = UserFactory.create(nickname="Bob", city="Hangzhou")
    note = makers.note(alice)
    contacts.touch(alice.pk, bob.pk)
    indexing.rebuild(lambda _done, _total: None)
    page = page_at(width, locale=locale)
    page_opening.open_page(page, alice, note.get_absolute_url())
    field = page.locator("#words-new")
    field.focus()
    field.press_sequentially("With @bo")
    options = page.locator("[role=listbox] [role=option]")
    expect(options).to_have_count(2)
    expect(page.locator("#live")).to_contain_text("2")
    field.press("Escape")
    expect(options.first).to_be_hidden()
    field.press_sequentially("b")
    expect(options.first).to_be_visible()
    # The contact comes first; the other Bob is meant.
    field.press("ArrowDown")
    field.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", str(options.nth(1).get_attribute("id")))
    if shots := os.environ.get("SHOTS"):
        page.screenshot(path=f"{shots}/mentions-{width}.png")
    field.press("Enter")
    expect(field).to_have_value("With @Bob ")
    # Longer than the site takes to be asked about what was typed: the list stays closed.
    page.wait_for_timeout(400)
    expect(options.first).to_be_hidden()
    page.locator("#comment-send").click()
    link = page.locator(".comment__text a.mention")
    expect(link).to_have_attribute("href", f"/people/{other.pk}/")


def test_a_list_whose_script_was_lost_comes_with_the_next_touch(
    page_at: PageAt, alice: User, bob: User
) -> None:
    contacts.touch(alice.pk, bob.pk)
    indexing.rebuild(lambda _done, _total: None)
    page = page_opening.open_page(page_at(360), alice, makers.note(alice).get_absolute_url())
    page.route("**/js/mentions*.js", lambda route: route.abort(), times=1)
    field = page.locator("#words-new")
    with page.expect_event("requestfailed"):
        field.focus()
    field.blur()
    with page.expect_response("**/js/mentions*.js"):
        field.focus()
    field.press_sequentially("With @bo")
    expect(page.locator("[role=listbox] [role=option]")).to_have_count(1)
