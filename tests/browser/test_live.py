"""The server pushes changes by others to open pages, which don't poll; what comes by itself moves nothing."""

from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from apps.demo import logins
from tests import chromium_pages, sites
from tests.browser import site_browsers
from tests.browser.neighbours import Neighbour

pytestmark = pytest.mark.browser

#: https://web.dev/articles/cls calls 0.1 good.
MAX_LAYOUT_SHIFT = 0.05
#: Milliseconds after a change in which late styles, pictures and ticks would move something.
SETTLING_MS = 300
#: Rows of a list until it asks for more.
PAGE_SIZE = 20
#: Scrolls until the end of a list is a hundred pixels below the window.
BEFORE_THE_END = "end => scrollTo(0, end.getBoundingClientRect().top + scrollY - innerHeight - 100)"
PATHS = ("/", "/sales/", "/shops/", "/shops/1/", "/notes/", "/people/", "/sign-in/")
OWN_PATHS = ("/feed/", "/me/", "/me/notes/", "/notes/new/?shop=1", "/shops/map/", "/me/saves/")


def test_a_sold_out_unit_that_comes_back_is_seen_by_those_who_wait(
    visit: site_browsers.SiteBrowsers, single_unit: str
) -> None:
    buyer, waiting = visit(), visit(1280)
    for page, phone in ((buyer, "+8613800001101"), (waiting, "+8613800001102")):
        page.goto(f"/login/?next={single_unit}")
        site_browsers.log_in(page, phone)
    # The page has asked for the reader's part; it asks once more when the stream stands.
    expect(waiting.locator("html")).to_have_attribute("data-reader", "person")
    asked = requests_of(waiting, f"/api/me/page?sale={single_unit.split('/')[2]}")
    expect(waiting.get_by_text("1 left")).to_be_visible()
    order = site_browsers.grab_unpaid_order(buyer, single_unit)
    expect(waiting.locator("#grab .grab__say").get_by_text("Sold out")).to_be_visible()
    site_browsers.cancel(buyer, order)
    site_browsers.grab(waiting)
    # The stream tells of the stock: nothing is asked by the clock.
    assert len(asked) <= 1, asked


def requests_of(page: Page, ending: str) -> list[str]:
    """Return a list that gets the URL of each later request which contains `ending`."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if ending in request.url else None)
    return asked


def read_shift(page: Page) -> float:
    """Return by how much a page has shifted so far, once it rests."""
    page.wait_for_timeout(SETTLING_MS)
    return round(float(page.evaluate("window.shiftedAtAll")), 4)


def measure(page: Page, path: str, act: Callable[[], object], shown: Locator) -> float:
    """Return by how much an open page shifts while `act` makes the locator appear."""
    page.goto(path)
    chromium_pages.wait_for_scripts(page)
    before = read_shift(page)
    act()
    expect(shown).to_be_visible()
    return read_shift(page) - before


def bubble(page: Page, text: str) -> Locator:
    """A message of somebody else in an open chat."""
    return page.locator(".message").get_by_text(text)


@pytest.mark.parametrize(
    ("reader", "width", "language"), [("visitor", 360, "en"), ("person", 360, "zh"), ("person", 1280, "en")]
)
def test_nothing_moves_when_it_is_known_who_reads(
    visit: site_browsers.SiteBrowsers,
    resident: site_browsers.Resident,
    running: str,
    reader: str,
    width: int,
    language: site_browsers.Language,
) -> None:
    is_person, shifted = reader == "person", {}
    page = visit(width, language=language, state=resident.state if is_person else None)
    note = site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    own = (*OWN_PATHS, resident.unpaid, resident.paid, resident.bought) if is_person else ()
    for path in (*PATHS, note, running, resident.coming, resident.page, *own):
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("data-reader", reader)
        chromium_pages.wait_for_scripts(page)
        shifted[path] = read_shift(page)
        assert chromium_pages.horizontal_overflow(page) == 0, path
    assert {path: much for path, much in shifted.items() if much >= MAX_LAYOUT_SHIFT} == {}, shifted


def test_nothing_moves_when_others_act(
    visit: site_browsers.SiteBrowsers, city: sites.Site, resident: site_browsers.Resident, running: str
) -> None:
    page, me = visit(state=resident.state), int(resident.page.split("/")[2])
    other, third = (Neighbour(city, f"+861390000117{digit}") for digit in range(2))
    chat, another = (one.send("POST", "/api/chats", member_ids=[me])["id"] for one in (other, third))
    claim = partial(other.send, "POST", f"/api/vouchers/{running.split('/')[2]}/seckill")
    shifted = {}

    def write(text: str) -> None:
        other.send("POST", f"/api/chats/{chat}/messages", text=text, client_id=text)

    shifted["stock"] = measure(
        page, running, lambda: claim(request_token=str(uuid4())), page.get_by_text("9 left")
    )
    shifted["message"] = measure(page, f"/chats/{chat}/", lambda: write("Noodles?"), bubble(page, "Noodles?"))
    badge = page.locator(".tabbar [data-chats] .unread-badge")
    shifted["chats' badge"] = measure(page, "/", lambda: write("At six?"), badge)
    third.send("POST", f"/api/chats/{another}/messages", text="Me too", client_id="1")
    shifted["chat list"] = measure(page, "/chats/", lambda: write("Or eight?"), page.get_by_text("Or eight?"))
    page.evaluate("fetch('/notifications/read/', { method: 'POST' }).then(() => 0)")
    bell = page.locator(".header__bell .unread-badge")
    shifted["bell"] = measure(page, "/", lambda: other.send("PUT", f"/api/users/{me}/follow"), bell)
    assert {where: much for where, much in shifted.items() if much >= MAX_LAYOUT_SHIFT} == {}, shifted


def test_nothing_moves_when_an_order_is_paid_and_used(
    visit: site_browsers.SiteBrowsers, city: sites.Site, resident: site_browsers.Resident, running: str
) -> None:
    page, bank = visit(state=resident.state), visit(state=resident.state)
    order = site_browsers.grab_unpaid_order(bank, running)
    state, shifted = page.locator("#order-state"), {}
    shifted["paid"] = measure(
        page, order, lambda: site_browsers.pay(bank), page.locator("#order-state[data-order-state=paid]")
    )
    code = page.locator(".qr__text").inner_text()
    cashier = Neighbour(city, logins.MANAGER_PHONE)
    cashier.send("POST", "/api/orders/redeem", code=code)
    expect(state).to_have_attribute("data-order-state", "used")
    shifted["used"] = read_shift(page)
    assert {face: much for face, much in shifted.items() if much >= MAX_LAYOUT_SHIFT} == {}, shifted


def test_a_list_goes_on_before_its_end_is_seen_and_nothing_moves(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> None:
    page, shifted = visit(state=resident.state), {}
    for path, card in (("/shops/", ".shop-card"), ("/notes/", ".note-card")):
        come_near = partial(page.locator(".load-more").evaluate, BEFORE_THE_END)
        shifted[path] = measure(page, path, come_near, page.locator(card).nth(PAGE_SIZE))
    assert {path: much for path, much in shifted.items() if much >= MAX_LAYOUT_SHIFT} == {}, shifted
