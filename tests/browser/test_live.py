"""The server pushes changes by others to open pages, which don't poll."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import site_browsers

pytestmark = pytest.mark.browser


@pytest.mark.journey
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
