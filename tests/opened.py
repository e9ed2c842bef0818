"""A page as somebody sees it in a browser, ready to be touched."""

from playwright.sync_api import Page

from apps.accounts import cookies
from apps.accounts.models import User
from tests import pages
from tests.coupons import buyers

#: static/js/app.js says so once each control answers to script.
STARTED = "document.documentElement.dataset.started !== undefined"


def opened(page: Page, user: User | None, path: str) -> Page:
    """A page that breaks the test when its scripts or its policy complain; a reload loses `window.stayed`."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
    if user:
        token = buyers.browser(user).cookies[cookies.TOKEN_COOKIE].value
        page.goto("/healthz")
        page.context.add_cookies([{"name": cookies.TOKEN_COOKIE, "value": token, "url": page.url}])
    page.goto(path)
    pages.wait_for(page, STARTED)
    page.evaluate("window.stayed = true")
    assert complaints == []
    return page
