"""Every page of the admin fits a phone and a desk, and axe finds nothing but what is upstream's."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from apps.demo import logins
from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
WIDTHS = (360, 1280)
#: What Django's and Unfold's own parts get wrong and a page of ours can't mend, by selector, with the reason.
UPSTREAM = {
    ".select2-selection__rendered": "Select2 puts the button that clears a list between the list's items",
    ".help-tooltip": "Django names a picture without a role beside the filters of a double list",
}
LINKS = """
selector => [...new Set([...document.querySelectorAll(selector)].map((link) => new URL(link.href).pathname))]
"""
#: A page of the admin that another one leads to, first of all rows; not what logs out or is a file.
INDEX_LINKS = "a[href^='/admin/']:not([href*=logout], [href*=jsi18n], [href*=export])"
ROW_LINKS = (
    "#result_list tbody tr:first-child :is(th, td) a[href^='/admin/'], a[href^='/admin/'][href$='/add/']"
)


def log_in(page: Page) -> None:
    page.goto("/admin/login/?next=/admin/")
    page.fill("[name=username]", logins.MANAGER_PHONE)
    page.fill("[name=password]", logins.MANAGER_PASSWORD)
    with page.expect_navigation():
        page.click("button[type=submit]")


def find_faults(page: Page) -> list[str]:
    """Return axe's violations of any level, and the widths at which the page is wider than its window."""
    options = {"resultTypes": ["violations"]}
    ignored = {"exclude": [[selector] for selector in UPSTREAM]}
    violations = Axe().run(page, ignored, options=options).response["violations"]
    found = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in violations]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        pixels = chromium_pages.horizontal_overflow(page)
        found += [f"{width}: {pixels} px too wide"] if pixels > 1 else []
    return found


def test_every_page_fits_and_shuts_nobody_out(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(1280)
    log_in(page)
    waiting, found = list(page.evaluate(LINKS, INDEX_LINKS)), dict[str, list[str]]()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        assert site_browsers.get_status(page, path) == 200, path
        found[path] = find_faults(page)
        waiting += page.evaluate(LINKS, ROW_LINKS)
    assert len(found) > 60, sorted(found)
    assert {path: faults for path, faults in found.items() if faults} == {}
