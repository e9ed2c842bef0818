"""Searching in a real browser: filters by script, the sheet, the keyboard, an input method, no scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.search.index import rebuilding
from tests import chromium_pages, page_opening
from tests.blog import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOPS = "/search/?q=noodle&kind=shops"


@pytest.fixture(autouse=True)
def city(alice: User) -> None:
    """Three noodle shops of two types, a hot pot shop and a note, in an index."""
    noodles = makers.shop("Lakeside Noodle House", name_zh="湖畔面馆 noodle", price=3_000, rating=41)
    makers.shop("Third Floor Hot Pot", name_zh="三楼火锅", price=12_000)
    makers.shop("Café Noodle", name_zh="面条咖啡 noodle", price=8_000, rating=49)
    makers.shop("Noodle Bar", name_zh="面吧 noodle", price=20_000, rating=45, type="bar")
    makers.note(alice, shop=noodles, title="A noodle for a bad week")
    rebuilding.rebuild()


@pytest.fixture
def without_scripts(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.set_default_timeout(chromium_pages.TIMEOUT_MS)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("width", "theme", "locale"), [(360, "light", "en-GB"), (1280, "dark", "zh-CN")])
def test_filters_swap_the_answer_and_the_address_by_keyboard(
    page_at: chromium_pages.PageAt, width: int, theme: chromium_pages.Theme, locale: str
) -> None:
    page = page_opening.open_page(page_at(width, theme=theme, locale=locale), None, SHOPS)
    assert chromium_pages.horizontal_overflow(page) == 0
    expect(page.locator(".hit")).to_have_count(3)
    if width == 360:
        page.locator("#search-sheet summary").press("Enter")
    bar = page.locator("#filter-type-2")
    bar.press("Space")
    expect(page.locator(".hit")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"/search/\?q=noodle&kind=shops&type=bar$"))
    expect(page.locator("#live")).to_have_text(re.compile("^1 "))
    # The sheet is as open as it was, and the focus stays where it was.
    expect(page.locator("#filter-type-2")).to_be_focused()
    expect(page.locator("#filter-type-2")).to_be_checked()
    assert page.evaluate("window.stayed === true")
    page.go_back()
    expect(page.locator(".hit")).to_have_count(3)
    assert chromium_pages.horizontal_overflow(page) == 0


def test_an_answer_that_comes_too_late_is_dropped(page_at: chromium_pages.PageAt) -> None:
    page = page_opening.open_page(page_at(1280), None, SHOPS)
    held: list[Route] = []
    page.route("**/search/?*sort=-price*", lambda route: held.append(route))
    page.locator("#search-sort").select_option("-price")
    chromium_pages.wait_for(page, "document.querySelector('#search-filters.htmx-request') !== null")
    page.locator("#search-sort").select_option("rating")
    expect(page).to_have_url(re.compile("sort=rating"))
    expect(page.locator(".hit").first).to_contain_text("Café Noodle")
    for route in held:
        route.abort()
    expect(page.locator(".hit").first).to_contain_text("Café Noodle")


def test_an_enter_of_an_input_method_does_not_search(page_at: chromium_pages.PageAt) -> None:
    page = page_opening.open_page(page_at(360, locale="zh-CN"), None, "/search/")
    field = page.locator("#search-field")
    field.focus()
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "三楼", "selectionStart": 2, "selectionEnd": 2})
    page.keyboard.press("Enter")
    assert page.evaluate("window.stayed === true")
    keyboard.send("Input.insertText", {"text": "三楼"})
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("三楼火锅")


def test_without_scripts_one_searches_filters_and_sorts(without_scripts: Page) -> None:
    page = without_scripts
    page.goto("/")
    page.locator("#home-search").fill("noodle")
    page.locator("#home-search").press("Enter")
    page.get_by_role("link", name="Shops 3").click()
    page.locator("#search-sort").select_option("-price")
    page.get_by_role("button", name="Sort").click()
    expect(page.locator(".hit").first).to_contain_text("Noodle Bar")
    page.locator("#filter-type-1").check()
    page.get_by_role("button", name="Show results").click()
    expect(page.locator(".hit")).to_have_count(2)
    page.goto("/search/?q=zzzzzz")
    expect(page.get_by_text("Nothing found")).to_be_visible()
