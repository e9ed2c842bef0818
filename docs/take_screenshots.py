"""Takes the README's two pictures of a running demo: `make screenshots URL=http://127.0.0.1:8000`.

The sale's page on a phone, and the admin's dashboard; each with at most 256 colours, so that the file
stays small.
"""

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from apps.demo import logins
from tests.chromium_pages import CHROMIUM_ARGUMENTS, find_chromium

PICTURES = Path(__file__).resolve().parent / "pictures"
PHONE, DESKTOP = (390, 844), (1280, 860)


def main(url: str) -> int:
    chromium = find_chromium()
    if chromium is None:
        print("make screenshots: no Chromium: apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        save(open_sale(browser, url), "sale.png")
        save(open_dashboard(browser, url), "dashboard.png")
        browser.close()
    return 0


def open_sale(browser: Browser, url: str) -> Page:
    """The first running sale of the home page, on a phone."""
    page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, device_scale_factor=2)
    page.goto(f"{url}/sales/")
    page.locator("a[href^='/vouchers/']").first.click()
    page.wait_for_load_state("networkidle")
    return page


def open_dashboard(browser: Browser, url: str) -> Page:
    """The admin's first page, as the demo's manager sees it."""
    page = browser.new_page(viewport={"width": DESKTOP[0], "height": DESKTOP[1]})
    page.goto(f"{url}/admin/")
    page.fill("input[name=username]", logins.MANAGER_PHONE)
    page.fill("input[name=password]", logins.MANAGER_PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("canvas")
    page.wait_for_timeout(1500)
    return page


def save(page: Page, name: str) -> None:
    """Write what the page shows as a small PNG."""
    picture = Image.open(BytesIO(page.screenshot(type="png")))
    picture.convert("RGB").quantize(256).save(PICTURES / name, optimize=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/")))
