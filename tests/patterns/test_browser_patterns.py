"""A pattern page in a real browser: run both ways, and read what they did."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from apps.patterns import limits
from tests import chromium_pages
from tests.chromium_pages import PageAt
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_both_ways_run_without_a_reload(page_at: PageAt, width: int, theme: chromium_pages.Theme) -> None:
    page = open_page(page_at(width, theme=theme), None, "/patterns/flash-sale/")
    page.get_by_role("button", name="Run it and watch it break").click()
    expect(page.locator("#run-naive")).to_contain_text("It breaks")
    expect(page.locator("#run-naive .commands li")).to_have_count(5)
    page.get_by_role("button", name="Try ours").click()
    expect(page.locator("#run-ours")).to_contain_text("It holds")
    expect(page.locator("#run-ours")).to_contain_text("EVALSHA claim.lua")
    assert page.evaluate("window.stayed === true")
    assert chromium_pages.horizontal_overflow(page) == 0


def test_a_run_too_many_says_so(page_at: PageAt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RUNS", replace(limits.RUNS, allowed=1))
    page = open_page(page_at(360), None, "/patterns/likes/")
    for _ in range(2):
        page.get_by_role("button", name="Try ours").click()
    expect(page.locator("#toasts")).to_contain_text("That was a lot at once.")
