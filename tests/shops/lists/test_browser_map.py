"""The map in a real browser, on the ground that it draws itself."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.shops.geo import rebuilding
from apps.shops.models import Shop
from tests import chromium_pages
from tests.chromium_pages import PageAt
from tests.shops import makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
#: The drawn ground reaches the lower edge of its map.
DRAWN_TO_THE_BOTTOM = """
(() => {
  const map = document.querySelector("[data-map-canvas]").getBoundingClientRect();
  const ground = document.querySelector(".leaflet-ground-pane svg").getBoundingClientRect();
  return map.height > 2_000 && ground.bottom >= map.bottom;
})()
"""
WEST_LAKE = "/shops/map/?lat=30.259&lng=120.148"


@pytest.fixture
def page(page_at: chromium_pages.PageAt) -> Page:
    makers.shops(5)
    makers.shop("Half a kilometre east", lng=makers.LNG + 0.005, type="spa")
    rebuilding.rebuild()
    return page_at(1280)


def test_neighbours_are_one_heap_until_somebody_comes_nearer(page: Page) -> None:
    page.goto(WEST_LAKE)
    expect(page.locator("path.map-ring")).to_have_count(3)
    expect(page.locator("path.ground-water").first).to_be_attached()
    expect(page.locator(".map-mark .pin")).to_have_count(1)
    heap = page.get_by_role("button", name="5 shops")
    expect(heap).to_have_text("5")
    heap.click()
    expect(page.locator(".map-mark .pin").nth(4)).to_be_attached()


def test_the_length_of_a_ring_lies_beside_a_pin(page_at: PageAt) -> None:
    north = 500 / 111_226
    makers.shop("Half a kilometre north", lat=makers.LAT + north)
    rebuilding.rebuild()
    page = page_at(360)
    page.goto(f"/shops/map/?lat={makers.LAT}&lng={makers.LNG}")
    pin = page.locator(".map-mark .pin .icon").bounding_box()
    label = page.locator(".map-ring__label span").first.bounding_box()
    assert pin
    assert label
    assert label["x"] > pin["x"] + pin["width"] or label["y"] > pin["y"] + pin["height"]


def test_a_place_that_nobody_drew_is_said_to_have_no_street_map(page: Page) -> None:
    page.goto(WEST_LAKE)
    expect(page.locator("path.ground-water").first).to_be_attached()
    expect(page.locator("[data-map-bare]")).to_be_hidden()
    far = makers.shop("Temple Tea", lat=35.01, lng=135.76)
    for path in (f"/shops/map/?shop={far.pk}", far.get_absolute_url()):
        page.goto(path)
        expect(page.locator("[data-map-bare]")).to_have_text("There is no street map of this place here.")


def test_most_of_a_phone_is_map_and_no_control_lies_over_its_pins(page_at: chromium_pages.PageAt) -> None:
    makers.shops(5)
    rebuilding.rebuild()
    page = page_at(360)
    page.goto(WEST_LAKE)
    expect(page.locator(".map-mark").first).to_be_attached()
    top = page.locator("[data-map-canvas]").evaluate("(map) => map.getBoundingClientRect().top")
    assert page.locator(".map-bars").evaluate("(bars) => bars.getBoundingClientRect().bottom") <= top
    cards = page.locator(".map-row").first.evaluate("(row) => row.getBoundingClientRect().top")
    assert cards - top >= 0.55 * page.evaluate("innerHeight")


def test_a_marker_opens_the_shops_card(page: Page) -> None:
    page.goto(WEST_LAKE)
    page.get_by_role("button", name="Half a kilometre east").click()
    card = page.locator(".map-popup .shop-card")
    expect(card).to_contain_text("480 m")
    card.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Half a kilometre east")


def test_a_link_that_comes_into_view_never_scrolls_the_map_under_a_press(page: Page) -> None:
    page.goto(WEST_LAKE)
    page.get_by_role("button", name="Half a kilometre east").click()
    link = page.locator(".map-popup .shop-card").get_by_role("link")
    link.evaluate("(link) => link.scrollIntoView({block: 'start', inline: 'start'})")
    canvas = page.locator("[data-map-canvas]")
    assert canvas.evaluate("(map) => [map.scrollLeft, map.scrollTop]") == [0, 0]


def test_the_part_of_the_map_that_shows_is_searched(page: Page) -> None:
    page.goto(WEST_LAKE)
    expect(page.locator("#map-list [data-shop]")).to_have_count(6)
    first = zoom_in(page)
    for further in (1, 2, 3):
        assert zoom_in(page) == first + further
    page.get_by_role("button", name="Search this area").click()
    expect(page.locator("#map-list [data-shop]")).to_have_count(5)
    expect(page.locator(".map-mark .pin")).to_have_count(5)
    assert page.url == page.url.partition("?")[0], "the window stands in no address"
    page.reload()
    expect(page.locator("#map-list [data-shop]")).to_have_count(5)


def test_a_searched_part_keeps_each_of_several_areas(page: Page) -> None:
    for area, name in (("Xihu", "Half a kilometre east"), ("Hubin", "Beside it")):
        makers.shop(name, lng=makers.LNG + 0.005, area_en=area, area_zh=area)
    rebuilding.rebuild()
    page.goto("/shops/map/?city=hangzhou&area=Xihu&area=Hubin")
    rows = page.locator("#map-list [data-shop]")
    expect(rows).to_have_count(2)
    zoom_in(page)
    page.get_by_role("button", name="Search this area").click()
    expect(page.get_by_role("button", name="Search this area")).to_be_hidden()
    expect(rows).to_have_count(2)


def test_a_search_that_failed_is_there_to_try_again_also_by_keyboard(page: Page) -> None:
    page.goto(WEST_LAKE)
    expect(page.locator("path.ground-water").first).to_be_attached()
    search = page.get_by_role("button", name="Search this area")
    expect(search).to_be_hidden()
    page.locator("[data-map-canvas]").press("ArrowRight")
    expect(search).to_be_visible()
    for broken in (lambda route: route.abort(), lambda route: route.fulfill(status=503, body="busy")):
        page.route("**/shops/map/?*", broken)
        search.click()
        expect(page.locator(".toast").first).to_be_visible()
        expect(search).to_be_enabled()
        expect(search).not_to_have_class(re.compile("htmx-request"))
        expect(search).not_to_have_attribute("aria-busy", "true")
        assert page.evaluate("history.state?.mapWindow") is None
        page.unroute("**/shops/map/?*")
    search.click()
    expect(search).to_be_hidden()
    assert page.evaluate("history.state.mapWindow.east > history.state.mapWindow.west")


def test_a_map_that_grows_is_drawn_to_its_edges(page: Page) -> None:
    page.goto(WEST_LAKE)
    expect(page.locator("path.ground-water").first).to_be_attached()
    # Far more than Leaflet draws beyond an edge, and the window stays as it is.
    page.locator("[data-map]").evaluate("(frame) => { frame.style.height = '3000px' }")
    chromium_pages.wait_for(page, DRAWN_TO_THE_BOTTOM)


def test_the_map_of_a_shops_page_is_drawn_when_it_comes_near(page: Page) -> None:
    chromium_pages.resize(page, 360, 400)
    page.goto(Shop.objects.latest("pk").get_absolute_url())
    chromium_pages.wait_for_scripts(page)
    assert page.evaluate("'L' in window") is False
    page.locator("#where [data-map]").scroll_into_view_if_needed()
    expect(page.locator("#where .map-mark .pin")).to_be_visible()
    # Leaflet's own sheet is there, and ours still says more.
    expect(page.locator("#where .leaflet-pane").first).to_have_css("position", "absolute")


def zoom_in(page: Page) -> int:
    """The zoom level when the map has arrived there."""
    frame = page.locator("[data-map]")
    before = frame.get_attribute("data-zoom") or ""
    page.get_by_role("button", name="Zoom in").click()
    expect(frame).to_have_attribute("data-zoom", re.compile(rf"^(?!{before or 'x'}$)\d+$"))
    return int(frame.get_attribute("data-zoom") or 0)


def test_on_a_phone_a_pin_brings_its_card_and_the_page_stays(page_at: PageAt) -> None:
    for number in range(3):
        makers.shop(f"Shop {number}", lng=makers.LNG + number * 0.008)
    rebuilding.rebuild()
    page = page_at(360)
    page.goto(WEST_LAKE)
    chromium_pages.wait_for_scripts(page)
    cards = page.locator("#map-list [data-shop]")
    expect(cards).to_have_count(3)
    page.get_by_role("button", name="Shop 1").click()
    chosen = page.locator(".map-row--on")
    expect(chosen).to_contain_text("Shop 1")
    expect(chosen).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("scrollY") == 0
    expect(page.locator(".map-popup")).to_have_count(0)
    page.get_by_role("button", name="Shop 0").press("Enter")
    expect(chosen).to_contain_text("Shop 0")
    # A swipe chooses the card in the middle.
    page.locator("#map-list").evaluate("(list) => list.scrollTo({left: list.scrollWidth})")
    expect(chosen).to_contain_text("Shop 2")
    sheet = page.get_by_role("button", name="List", exact=True)
    sheet.click()
    expect(sheet).to_have_attribute("aria-expanded", "true")
    expect(cards.first).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0
    # As the back button of Android asks, wherever the focus is.
    page.keyboard.press("Escape")
    expect(sheet).to_have_attribute("aria-expanded", "false")
    expect(sheet).to_be_focused()


def test_a_map_app_is_chosen_once(page_at: PageAt) -> None:
    first, second = makers.shops(2)
    rebuilding.rebuild()
    page = page_at(360)
    page.route("https://uri.amap.com/**", lambda route: route.fulfill(body="Amap"))
    page.goto(first.get_absolute_url())
    chromium_pages.wait_for_scripts(page)
    page.locator("#directions summary").click()
    page.get_by_role("link", name="Amap", exact=True).click()
    expect(page.get_by_text("Amap")).to_be_visible()
    page.goto(second.get_absolute_url())
    chromium_pages.wait_for_scripts(page)
    link = page.get_by_role("link", name="Open in Amap")
    assert f"{second.lng:.6f}%2C{second.lat:.6f}" in (link.get_attribute("href") or "")
    expect(page.locator("[data-directions-go]")).to_have_attribute(
        "href", re.compile("^https://uri.amap.com/")
    )
