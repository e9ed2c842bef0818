"""Every page of the admin fits a phone and a desk, and axe finds nothing but what is upstream's.

One page of a kind: the rows of a list lead to one form, and a form that adds is most often that form, empty.
So only these forms that add are looked at: those of empty lists, and OWN_ADD_FORMS.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from apps.demo import logins
from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_200)]
#: The first is that of the page when axe looks at it.
WIDTHS = (1280, 360)
#: What Django's and Unfold's own parts get wrong and a page of ours can't mend, by selector, with the reason.
UPSTREAM = {
    ".select2-selection__rendered": "Select2 puts the button that clears a list between the list's items",
    ".help-tooltip": "Django names a picture without a role beside the filters of a double list",
}
LINKS = """
selector => [...new Set([...document.querySelectorAll(selector)].map((link) => new URL(link.href).pathname))]
"""
#: A page of the admin that another one leads to; not what logs out or is a file.
INDEX_LINKS = "a[href^='/admin/']:not([href*=logout], [href*=jsi18n], [href*=export], [href$='/add/'])"
ROW_LINKS = "#result_list tbody :is(th, td) a[href^='/admin/']"
ADD_LINKS = ".change-list a[href^='/admin/'][href$='/add/']"
#: Forms that add and share little with the form that changes a row.
OWN_ADD_FORMS = ["/admin/accounts/user/add/"]


def log_in(page: Page, phone: str = logins.MANAGER_PHONE) -> None:
    page.goto("/admin/login/?next=/admin/")
    page.fill("[name=username]", phone)
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
        chromium_pages.resize(page, width, 800)
        pixels = chromium_pages.horizontal_overflow(page)
        found += [f"{width}: {pixels} px too wide"] if pixels > 1 else []
    return found


def open_fresh(page: Page, path: str) -> int:
    """Open a path at the first width and return its status; the page before isn't laid out for it anew."""
    page.goto("about:blank")
    chromium_pages.resize(page, WIDTHS[0], 800)
    return site_browsers.get_status(page, path)


def get_kind(path: str) -> str:
    """Return the path without the key of its row: pages that share it are drawn alike."""
    return re.sub(r"/[^/]*\d[^/]*/", "/*/", path)


def find_next(page: Page) -> list[str]:
    """Return the pages that a list leads to: its rows', or its form that adds if it has no rows."""
    links: list[str] = page.evaluate(LINKS, ROW_LINKS) or page.evaluate(LINKS, ADD_LINKS)
    return links


def test_every_page_fits_and_shuts_nobody_out(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(WIDTHS[0])
    assert open_fresh(page, "/admin/login/") == 200
    assert find_faults(page) == []
    log_in(page)
    waiting, found = page.evaluate(LINKS, INDEX_LINKS) + OWN_ADD_FORMS, dict[str, list[str]]()
    while waiting:
        path = waiting.pop()
        if get_kind(path) in found:
            continue
        assert open_fresh(page, path) == 200, path
        found[get_kind(path)] = find_faults(page)
        waiting += find_next(page)
    assert len(found) > 60, sorted(found)
    assert {path: faults for path, faults in found.items() if faults} == {}


@pytest.mark.parametrize("phone", [logins.OWNER_PHONE, logins.MODERATOR_PHONE])
def test_the_dashboard_of_a_role_does_too(visit: site_browsers.SiteBrowsers, phone: str) -> None:
    page = visit(WIDTHS[0])
    log_in(page, phone)
    expect(page.get_by_role("button", name="Menu").first).to_be_visible()
    assert find_faults(page) == []
