"""Opens pages of the live server and of its admin, and waits until their scripts have started."""

from playwright.sync_api import Page

from apps.accounts.models import User
from apps.accounts.sessions import cookies
from tests import chromium_pages
from tests.coupons import buyers


def open_page(page: Page, user: User | None, path: str) -> Page:
    """Open a page whose scripts have started, logged in as the user if one is given."""
    if user:
        token = buyers.browser_client(user).cookies[cookies.TOKEN_COOKIE].value
        page.goto("/healthz")
        page.context.add_cookies([{"name": cookies.TOKEN_COOKIE, "value": token, "url": page.url}])
    go_to(page, path)
    return page


def go_to(page: Page, path: str) -> None:
    """Open a path and wait for its scripts. Sets `window.stayed`, which a reload would lose."""
    page.goto(path)
    chromium_pages.wait_for_scripts(page)
    page.evaluate("window.stayed = true")


def open_admin_page(page: Page, manager: User, path: str) -> Page:
    """Log in to the admin as the manager and open one of its pages."""
    page.goto(f"/admin/login/?next={path}")
    page.fill("[name=username]", manager.phone)
    page.fill("[name=password]", "manager-password")
    with page.expect_navigation():
        page.click("button[type=submit]")
    return page
