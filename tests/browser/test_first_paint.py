"""A first visit stays within its budget of requests and bytes."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = pytest.mark.browser

#: Of a phone's first visit: what crosses the wire, pictures in sight included. A favicon from memory doesn't.
#: Three are thumbnails of sales, five are faces. The last one comes after the page is there: it registers
#: the service worker.
MAX_REQUESTS, MAX_BYTES = 25, 140_000
#: Bytes of the styles that the first paint waits for, and of all scripts.
STYLE_BUDGET, SCRIPT_BUDGET = 20_000, 31_000
#: What other pages may add to the first page's requests: their own style, scripts and pictures in sight.
MORE_REQUESTS = 6

IS_LOADED = "picture => picture.complete && picture.naturalWidth > 0"


@dataclass
class Transfer:
    """What came over the network: its kind in DevTools' words, its headers, its bytes on the wire."""

    url: str
    kind: str
    headers: dict[str, str]
    size: int = 0


def visit_first(page: Page, path: str) -> list[Transfer]:
    """Open a page with an empty cache, until the network is idle; return what crossed the wire."""
    client = page.context.new_cdp_session(page)
    sent: dict[str, Transfer] = {}

    def receive(event: dict[str, Any]) -> None:
        response = event["response"]
        if not response.get("fromDiskCache"):
            headers = {name.lower(): value for name, value in response["headers"].items()}
            sent[event["requestId"]] = Transfer(response["url"], event["type"], headers)

    def finish(event: dict[str, Any]) -> None:
        if event["requestId"] in sent:
            sent[event["requestId"]].size = int(event["encodedDataLength"])

    client.on("Network.responseReceived", receive)
    client.on("Network.loadingFinished", finish)
    client.send("Network.enable")
    page.goto(path, wait_until="networkidle")
    client.detach()
    return list(sent.values())


def test_a_first_visit_is_light_and_a_second_is_free(visit: site_browsers.SiteBrowsers) -> None:
    sent = visit_first(visit(), "/")
    assert len(sent) <= MAX_REQUESTS, [one.url for one in sent]
    assert sum(one.size for one in sent) <= MAX_BYTES, [(one.size, one.url) for one in sent]
    assert sum(one.size for one in sent if one.kind == "Stylesheet") < STYLE_BUDGET
    assert sum(one.size for one in sent if one.kind == "Script") < SCRIPT_BUDGET
    for one in sent:
        if "/static/" in one.url:
            assert "immutable" in one.headers["cache-control"], one.url
        if one.kind in {"Stylesheet", "Script"}:
            assert one.headers.get("content-encoding") in {"gzip", "br"}, one.url


@pytest.mark.parametrize(
    "path", ["/shops/", "/notes/", "/sales/", "/search/?q=noodle", "/people/", "/login/"]
)
def test_other_pages_ask_for_little_more(visit: site_browsers.SiteBrowsers, path: str) -> None:
    sent = visit_first(visit(), path)
    assert len(sent) <= MAX_REQUESTS + MORE_REQUESTS, [one.url for one in sent]


def test_pictures_come_when_they_are_near_or_all_without_scripts(visit: site_browsers.SiteBrowsers) -> None:
    page = visit()
    page.goto("/shops/", wait_until="networkidle")
    last = page.locator(".shop-card__cover img").last
    assert last.evaluate(IS_LOADED) is False
    page.mouse.wheel(0, 4_000)
    chromium_pages.wait_for(
        page, f"({IS_LOADED})([...document.querySelectorAll('.shop-card__cover img')].at(-1))"
    )
    plain = visit(scripts=False)
    plain.goto("/shops/")
    assert (
        plain.locator(".shop-card__cover img:visible").count()
        == plain.locator(".shop-card__cover img").count()
    )


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
