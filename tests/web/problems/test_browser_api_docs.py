"""The page of the API, on a phone and a desk, in both themes and languages, and used to try operations."""

import json

import pytest
from playwright.sync_api import Locator, Page, Response, expect
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from tests import chromium_pages
from tests.browser.page_faults import find_axe_violations
from tests.chromium_pages import PageAt, Theme

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
BACKGROUNDS = {"light": "rgb(250, 246, 242)", "dark": "rgb(21, 16, 14)"}


def open_docs(page: Page) -> Page:
    """The page with the areas of its operations, all folded."""
    page.goto("/api/docs")
    expect(page.locator(".opblock-tag").first).to_be_visible()
    return page


def open_operation(page: Page, area: str, name: str) -> Locator:
    """An operation, unfolded, and its area if that was folded."""
    heading = page.locator(f"#operations-tag-{area}")
    if heading.get_attribute("data-is-open") == "false":
        heading.click()
    block = page.locator(f"#operations-{area}-{name}")
    block.locator(".opblock-summary-control").click()
    expect(block.locator(".execute")).to_be_visible()
    return block


def execute(page: Page, block: Locator, body: dict[str, str] | None = None) -> Response:
    """What the site answers to an operation that is tried."""
    if body is not None:
        block.locator("textarea").first.fill(json.dumps(body))
    with page.expect_response(lambda answer: "/api/" in answer.url) as answered:
        block.locator(".execute").click()
    return answered.value


@pytest.mark.parametrize(
    ("width", "theme", "locale"),
    [(360, "light", "en-GB"), (360, "dark", "zh-CN"), (1280, "dark", "en-GB"), (1280, "light", "zh-CN")],
)
def test_the_page_fits_and_has_the_theme_and_the_language(
    page_at: PageAt, width: int, theme: Theme, locale: str
) -> None:
    page = open_docs(page_at(width, theme=theme, locale=locale))
    assert chromium_pages.horizontal_overflow(page) == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == BACKGROUNDS[theme]
    assert page.evaluate("document.documentElement.lang") == {"en-GB": "en", "zh-CN": "zh-hans"}[locale]
    assert find_axe_violations(page) == []
    open_operation(page, "shops", "listShops")
    assert chromium_pages.horizontal_overflow(page) == 0


def test_a_chosen_theme_and_language_hold_here_too_and_a_link_leads_back(page_at: PageAt) -> None:
    page = page_at(360, theme="light")
    page.goto("/healthz")
    page.evaluate("localStorage.setItem('savor-theme', 'dark')")
    open_docs(page)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == BACKGROUNDS["dark"]
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    assert page.url.endswith("/api/docs")
    page.locator(".docs__bar a").first.click()
    page.wait_for_url("**/")


def test_operations_are_tried_with_the_log_in_made_on_the_page(
    page_at: PageAt, alice: User, settings: Settings
) -> None:
    settings.DEMO = True
    page = open_docs(page_at(360))
    assert execute(page, open_operation(page, "accounts", "getMe")).status == 401
    sent = execute(page, open_operation(page, "accounts", "sendLogInCode"), {"phone": alice.phone}).json()
    body = {"phone": alice.phone, "code": sent["debug_code"], "request": sent["request"]}
    assert execute(page, open_operation(page, "accounts", "logIn"), body).status == 200
    expect(page.locator("#login-state")).to_have_text("Logged in: every operation is tried with this token.")
    found = execute(page, page.locator("[id$='-getMe'].opblock"))
    assert (found.status, found.json()["nickname"]) == (200, "Alice")
    assert chromium_pages.horizontal_overflow(page) == 0
