"""Opens browsers on a running site and walks them through logging in, grabbing, paying and cancelling."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.parse import urlsplit
from uuid import uuid4

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    StorageState,
    StorageStateCookie,
    expect,
)

from tests import chromium_pages, sites
from tests.browser.neighbours import Neighbour

Language = Literal["en", "zh"]
LOCALES: dict[Language, str] = {"en": "en-GB", "zh": "zh-CN"}
RESIDENT_PHONE = "+8613800001001"
DRAFT = {"shop_id": 1, "title": "A table by the door", "text": "Not yet finished."}
#: How long the consumer and the worker may take.
ORDER_SECONDS = 60
# Added up from the first paint on; the second sum has the shifts right after a person's own click or key too.
LAYOUT_SHIFT_SCRIPT = """
window.shifted = 0;
window.shiftedAtAll = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.shiftedAtAll += entry.value;
    if (!entry.hadRecentInput) window.shifted += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@dataclass
class SiteBrowsers:
    """Opens browsers on a site and keeps what their consoles complained about."""

    browser: Browser
    site: sites.Site
    complaints: list[str] = field(default_factory=list)
    #: Whether a log-in ends in this test: a page that is left may ask for its stream again, and be refused.
    ends_login: bool = False
    #: Whether the line is cut in this test: what the browser says of that is no complaint.
    cuts_line: bool = False
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        width: int = 360,
        *,
        theme: chromium_pages.Theme = "light",
        language: Language = "en",
        scripts: bool = True,
        state: StorageState | None = None,
        worker: bool = False,
    ) -> Page:
        """Open a page in a browser of its own; `state` is the storage state of a logged-in person.

        The service worker is for the tests about it: it asks for pages while others count requests.
        """
        context = self.browser.new_context(
            service_workers="allow" if worker else "block",
            base_url=self.site.base_url,
            viewport={"width": width, "height": 740},
            color_scheme=theme,
            locale=LOCALES[language],
            java_script_enabled=scripts,
            storage_state=state,
        )
        context.set_default_timeout(chromium_pages.TIMEOUT_MS)
        context.add_init_script(LAYOUT_SHIFT_SCRIPT)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _hear(self, said: ConsoleMessage) -> None:
        url = said.location["url"]
        is_refused_stream = self.ends_login and urlsplit(url).path == "/api/live" and " 401 " in said.text
        is_about_line = self.cuts_line and "ERR_INTERNET_DISCONNECTED" in said.text
        is_expected = is_refused_stream or is_about_line
        if said.type in {"error", "warning"} and url.startswith(self.site.base_url) and not is_expected:
            self.complaints.append(f"{url}: {said.text}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()


def log_in(page: Page, phone: str) -> None:
    """Log in on the log-in page with the code that the demo shows, and follow to the next page."""
    page.get_by_label("Phone number").fill(phone)
    page.get_by_role("button", name="Send me a code").click()
    code = read_login_code(page)
    # Six digits submit themselves.
    chromium_pages.wait_for_scripts(page)
    with page.expect_navigation():
        page.get_by_label("Code").fill(code)


def read_login_code(page: Page) -> str:
    """Return the six digits shown on the log-in page."""
    notice = page.get_by_text(re.compile(r"Your code is \d{6}"))
    expect(notice).to_be_visible()
    found = re.search(r"\d{6}", notice.inner_text())
    assert found
    return found[0]


def create_sales(site: sites.Site, *begins_in: float, stock: int = 10) -> list[str]:
    """Create a one-hour flash sale for each beginning (seconds from now); return the paths of their pages."""
    words = ["create_sale", f"--stock={stock}", "--shop=1", "--json"]
    calls = [f"call_command(*{[*words, f'--begins-in={seconds}']})" for seconds in begins_in]
    code = "\n".join(["from django.core.management import call_command", *calls])
    made = site.manage("shell", "--no-imports", "-c", code).splitlines()
    return [f"/vouchers/{json.loads(line)['voucher_id']}/" for line in made]


def grab(page: Page) -> None:
    """Grab a coupon on a running sale's page, by script, and go on to the order's page."""
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("button", name="Grab it now").click()
    page.get_by_role("link", name="See the order and pay").click()
    page.wait_for_url("**/orders/**")


def get_status(page: Page, path: str) -> int:
    """Open a path and return the response's status; 0 without a response."""
    answer = page.goto(path)
    return answer.status if answer else 0


def first_link(page: Page, path: str, selector: str) -> str:
    """Open a list and return the href of the first link that matches the selector."""
    page.goto(path)
    found = page.locator(selector).first.get_attribute("href")
    assert found
    return found


@dataclass(frozen=True)
class Resident:
    """A logged-in browser; paths of their page, draft, orders, bought and coming sale, and of the bank."""

    state: StorageState
    page: str
    draft: str
    unpaid: str
    paid: str
    cancelled: str
    bought: str
    coming: str
    bank: str


def prepare_resident(site: sites.Site, sales: Iterator[str], coming: str) -> Resident:
    """Log a new person in by the API, and make their orders in three of the running sales."""
    neighbour = Neighbour(site, RESIDENT_PHONE)
    bought = [next(sales) for _ in range(3)]
    unpaid, paid, cancelled = (claim(neighbour, path) for path in bought)
    neighbour.press(begin_payment(neighbour, paid), press="pay")
    wait_for_status(neighbour, paid, "paid")
    neighbour.send("POST", f"/api{cancelled}cancel")
    draft = neighbour.send("POST", "/api/notes", **DRAFT)["id"]
    return Resident(
        state=storage_state(site, neighbour.token),
        page=f"/people/{neighbour.id}/",
        draft=f"/notes/{draft}/",
        unpaid=unpaid,
        paid=paid,
        cancelled=cancelled,
        bought=bought[1],
        coming=coming,
        bank=begin_payment(neighbour, unpaid),
    )


def storage_state(site: sites.Site, token: str) -> StorageState:
    """Return the storage state of a browser that a token logs in."""
    cookie: StorageStateCookie = {
        "name": "savor_token",
        "value": token,
        "domain": str(urlsplit(site.base_url).hostname),
        "path": "/",
        "expires": -1,
        "httpOnly": True,
        "secure": False,
        "sameSite": "Lax",
    }
    return {"cookies": [cookie], "origins": []}


def claim(neighbour: Neighbour, sale: str) -> str:
    """Grab a coupon at the path of a sale; return the path of its order, which is recorded."""
    token, answers = str(uuid4()), list[dict[str, Any]]()

    def is_taken() -> bool:
        try:
            answers.append(neighbour.send("POST", f"/api{sale}seckill", request_token=token))
        except HTTPError as error:
            # The sale is being loaded, or the site is busy: clients send the request again later.
            if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
        return bool(answers)

    sites.wait_until(is_taken, seconds=ORDER_SECONDS, otherwise=f"{sale} takes no claim", every=1)
    order = f"/orders/{answers[0]['order_id']}/"
    wait_for_status(neighbour, order, "unpaid")
    return order


def wait_for_status(neighbour: Neighbour, order: str, status: str) -> None:
    """Wait until an order of the neighbour's has this status."""

    def has_status() -> bool:
        return bool(neighbour.send("GET", f"/api{order.rstrip('/')}")["status"] == status)

    sites.wait_until(has_status, seconds=ORDER_SECONDS, otherwise=f"{order} is not {status}")


def begin_payment(neighbour: Neighbour, order: str) -> str:
    """Begin to pay an order; return the path of the bank's page."""
    return urlsplit(str(neighbour.send("POST", f"/api{order}pay")["pay_url"])).path


def grab_unpaid_order(page: Page, path: str) -> str:
    """Grab a coupon in a sale and return the path of the unpaid order."""
    page.goto(path)
    grab(page)
    expect(page.locator("#order-state")).to_have_attribute("data-order-state", "unpaid")
    return path_of(page)


def pay(page: Page) -> None:
    """Pay from an unpaid order's page through the sandbox bank, until the redeem code is visible."""
    page.get_by_role("button", name="Pay now").click()
    page.get_by_role("button", name="Pay", exact=True).click()
    expect(page.locator(".qr__code svg")).to_be_visible()


def path_of(page: Page) -> str:
    """Return the path of a page's URL."""
    return urlsplit(page.url).path


def cancel(page: Page, path: str) -> None:
    """Open an unpaid order and cancel it."""
    page.goto(path)
    page.locator("#cancel-link").click()
    # In the dialog, or on the page of its own where the link leads until scripts are awake.
    page.locator("button:visible", has_text="Cancel the order").click()
    expect(page.get_by_text("This order is cancelled")).to_be_visible()
