"""Opens browsers on a running site and walks them through logging in, grabbing, paying and cancelling."""

import json
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, StorageState, expect

from tests import chromium_pages, sites

Language = Literal["en", "zh"]
LOCALES: dict[Language, str] = {"en": "en-GB", "zh": "zh-CN"}
#: Map tiles, which the tests' browsers don't load, so that no test waits for the network.
TILE_URLS = "https://tile.openstreetmap.org/**"
RESIDENT_PHONE = "+8613800001001"
DRAFT_CODE = f"""
from apps.accounts.models import User
from apps.blog.writing import notes
from apps.shops.models import Shop
author = User.objects.get(phone="{RESIDENT_PHONE}")
print(notes.create(author, Shop.objects.get(pk=1), title="A table by the door", text="Not yet finished.").pk)
"""
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
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        width: int = 360,
        *,
        theme: chromium_pages.Theme = "light",
        language: Language = "en",
        scripts: bool = True,
        state: StorageState | None = None,
    ) -> Page:
        """Open a page in a browser of its own; `state` is the storage state of a logged-in person."""
        context = self.browser.new_context(
            base_url=self.site.base_url,
            viewport={"width": width, "height": 740},
            color_scheme=theme,
            locale=LOCALES[language],
            java_script_enabled=scripts,
            storage_state=state,
        )
        context.set_default_timeout(chromium_pages.TIMEOUT_MS)
        context.route(TILE_URLS, lambda route: route.abort())
        context.add_init_script(LAYOUT_SHIFT_SCRIPT)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _hear(self, said: ConsoleMessage) -> None:
        url = said.location["url"]
        is_refused_stream = self.ends_login and urlsplit(url).path == "/api/live" and " 401 " in said.text
        if said.type in {"error", "warning"} and url.startswith(self.site.base_url) and not is_refused_stream:
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


def prepare_resident(visit: SiteBrowsers) -> Resident:
    """Log a new person in and make their orders through the site's pages."""
    page = visit()
    page.goto("/login/?next=/me/")
    log_in(page, RESIDENT_PHONE)
    mine = first_link(page, "/me/", "a[href^='/people/']:not([href='/people/'])")
    *running, coming = create_sales(visit.site, 0, 0, 0, 3_600)
    unpaid, paid, cancelled = (grab_unpaid_order(page, path) for path in running)
    page.goto(paid)
    pay(page)
    cancel(page, cancelled)
    page.goto(unpaid)
    page.get_by_role("button", name="Pay now").click()
    page.wait_for_url("**/sandbox/pay/**")
    draft = f"/notes/{visit.site.manage('shell', '--no-imports', '-c', DRAFT_CODE).strip()}/"
    state = page.context.storage_state()
    return Resident(state, mine, draft, unpaid, paid, cancelled, running[1], coming, path_of(page))


def grab_unpaid_order(page: Page, path: str) -> str:
    """Grab a coupon in a sale and return the path of the unpaid order."""
    page.goto(path)
    grab(page)
    expect(page.locator("#order-state")).to_have_attribute("data-face", "unpaid")
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
