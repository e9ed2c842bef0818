"""A page as somebody sees it in a browser, ready to be touched: on the site, in the admin."""

from playwright.sync_api import Page

from apps.accounts.models import User
from apps.accounts.sessions import cookies
from tests import chromium_pages
from tests.coupons import buyers


def open_page(page: Page, user: User | None, path: str) -> Page:
    """A page that answers to script, logged in as somebody or nobody."""
    if user:
        token = buyers.browser_client(user).cookies[cookies.TOKEN_COOKIE].value
        page.goto("/healthz")
        page.context.add_cookies([{"name": cookies.TOKEN_COOKIE, "value": token, "url": page.url}])
    go_to(page, path)
    return page


def go_to(page: Page, path: str) -> None:
    """Go there, until the page answers to script; a reload loses `window.stayed`."""
    page.goto(path)
    chromium_pages.wait_for_scripts(page)
    page.evaluate("window.stayed = true")


def open_admin_page(page: Page, manager: User, path: str) -> Page:
    """A page of the admin, reached by its log-in."""
    page.goto(f"/admin/login/?next={path}")
    page.fill("[name=username]", manager.phone)
    page.fill("[name=password]", "manager-password")
    with page.expect_navigation():
        page.click("button[type=submit]")
    return page
