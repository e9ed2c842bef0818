"""A first visit stays within its budget of bytes, and its layout doesn't shift."""

import pytest
from playwright.sync_api import Response

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = pytest.mark.browser

#: Bytes on the wire of all render-blocking resources, and of all scripts.
STYLE_BUDGET, SCRIPT_BUDGET = 20_000, 40_000
#: https://web.dev/articles/cls calls 0.1 good.
MAX_LAYOUT_SHIFT = 0.05
SOCIAL = (
    "/notes/",
    "/feed/",
    "/me/",
    "/me/notes/",
    "/notes/new/?shop=1",
    "/people/",
    "/sign-in/",
    "/shops/1/",
)


def transferred_bytes(answers: list[Response], kind: str) -> int:
    found = [one for one in answers if one.request.resource_type == kind and one.status == 200]
    return sum(one.request.sizes()["responseBodySize"] for one in found)


def test_a_first_visit_is_light_and_a_second_is_free(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if "/static/" in answer.url else None)
    page.goto("/", wait_until="networkidle")
    assert transferred_bytes(answers, "stylesheet") < STYLE_BUDGET
    assert transferred_bytes(answers, "script") < SCRIPT_BUDGET
    for answer in answers:
        assert "immutable" in answer.headers["cache-control"], answer.url
        if answer.request.resource_type in {"stylesheet", "script"}:
            assert answer.headers.get("content-encoding") in {"gzip", "br"}, answer.url


def test_a_phone_that_waits_for_the_font_has_no_page_wider_than_its_window(
    visit: site_browsers.SiteBrowsers,
) -> None:
    page = visit(360)
    page.route("**/*.woff2", lambda route: route.abort())
    page.goto("/")
    assert chromium_pages.horizontal_overflow(page) == 0
    visit.complaints.clear()  # Chromium complains of the font.


def test_a_visitors_phone_has_room_for_the_name_and_the_tools(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(360)
    page.goto("/", wait_until="networkidle")
    name_ends = page.locator(".brand").evaluate(
        "brand => brand.getBoundingClientRect().left + brand.scrollWidth"
    )
    assert name_ends <= page.locator(".header__find").evaluate("tool => tool.getBoundingClientRect().left")


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_jumps(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident, width: int
) -> None:
    page = visit(width, state=resident.state)
    sale = site_browsers.first_link(page, "/sales/", ".flash-card__title a")
    note = site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    shifted = {}
    for path in (
        "/",
        *SOCIAL,
        note,
        resident.page,
        "/shops/",
        "/shops/map/",
        "/sales/",
        sale,
        resident.coming,
        resident.unpaid,
        resident.paid,
    ):
        page.goto(path, wait_until="networkidle")
        # Countdowns have ticked and late scripts have started.
        page.wait_for_timeout(700)
        shifted[path] = round(page.evaluate("window.shifted"), 4)
    assert {path: much for path, much in shifted.items() if much >= MAX_LAYOUT_SHIFT} == {}, shifted
