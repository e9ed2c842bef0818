"""The calendar in a real browser: sign in, see the streak, make up a day."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.signins.streaks.days import ONE_DAY
from tests import chromium_pages
from tests.page_opening import open_page
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def stayed(page: Page) -> bool:
    return bool(page.evaluate("window.stayed === true"))


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_sign_in_see_the_streak_and_make_up_a_day(
    page_at: chromium_pages.PageAt, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    makers.checked_in_on(
        alice,
        [*makers.days_in_a_row(TODAY - ONE_DAY, 5), *makers.days_in_a_row(TODAY - 7 * ONE_DAY, 3)],
        points=60,
    )
    page = open_page(page_at(width, theme=theme), alice, "/sign-in/")
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("button", name="Check in").click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("6 days in a row")
    expect(title).to_be_focused()
    expect(page.locator("#live")).to_have_text("6 days in a row. You won 5 points.")
    assert stayed(page)
    page.get_by_role("link", name="Make up 15 Nov for 50 points").click()
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("It costs 50 of your 65 points")
    expect(asked.get_by_role("button", name="Make it up")).to_be_focused()
    asked.get_by_role("button", name="Make it up").click()
    expect(title).to_have_text("10 days in a row")
    expect(page.locator("#toasts")).to_contain_text("15 Nov is made up.")
    assert chromium_pages.horizontal_overflow(page) == 0


def test_another_month_comes_without_a_reload_and_back_brings_the_first_again(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 40))
    page = open_page(page_at(360), alice, "/sign-in/")
    month = page.locator("#month-title")
    page.get_by_role("link", name="Earlier: October 2026").click()
    expect(month).to_have_text("October 2026")
    expect(page).to_have_url(re.compile(r"\?month=2026-10$"))
    expect(page.locator("#earlier")).to_be_focused()
    expect(page.locator("#live")).to_have_text("October 2026")
    page.go_back()
    expect(month).to_have_text("November 2026")
    page.reload()
    expect(month).to_have_text("November 2026")


def test_one_tap_on_my_page(page_at: chromium_pages.PageAt, alice: User) -> None:
    makers.checked_in_on(alice, [TODAY - ONE_DAY])
    page = open_page(page_at(360), alice, "/me/")
    card = page.locator("#check-in-card")
    card.get_by_role("button", name="Check in").click()
    expect(card).to_contain_text("2 days in a row")
    expect(card.get_by_role("link", name="2 days in a row")).to_be_focused()
    assert stayed(page)
    assert chromium_pages.horizontal_overflow(page) == 0


def test_the_keyboard_leaves_the_dialog_where_it_came_from(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    makers.checked_in_on(alice, [TODAY], points=60)
    page = open_page(page_at(1280), alice, "/sign-in/")
    link = page.get_by_role("link", name="Make up 20 Nov for 50 points")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Make it up")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(link).to_be_focused()
