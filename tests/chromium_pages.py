"""The system's Chromium for tests: where it is, how it starts, and a page of a given width and theme."""

import os
import shutil
import time
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

Theme = Literal["light", "dark"]

#: Milliseconds for whatever a page shall come to: a crowded machine is slow, not wrong.
TIMEOUT_MS = 60_000
#: No GPU, no talk with the outside; a sandbox needs a user that isn't root.
CHROMIUM_ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.getuid() == 0 else []),
]


def find_chromium() -> str | None:
    """The path of an installed Chromium or Chrome, or None.

    CHROMIUM=/path names one; CHROMIUM=none does as if there were none.
    """
    named = os.environ.get("CHROMIUM")
    names = (named,) if named else ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def wait_for(page: Page, condition: str) -> None:
    """Until a JavaScript expression is true; AssertionError with it after PATIENCE_MS.

    page.wait_for_function evaluates what isn't true at once inside the page, where its policy refuses that.
    """
    ends = time.monotonic() + TIMEOUT_MS / 1_000
    while not page.evaluate(condition):
        assert time.monotonic() < ends, f"it never came true: {condition}"
        page.wait_for_timeout(50)


def wait_for_scripts(page: Page) -> None:
    """Until each control answers to script, as static/js/app.js says."""
    wait_for(page, "document.documentElement.dataset.started !== undefined")


def horizontal_overflow(page: Page) -> int:
    """CSS pixels by which a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


class PageAt:
    """Opens pages of a width (CSS pixels) and theme; each call is a browser of its own, without cookies."""

    def __init__(self, browser: Browser, base_url: str) -> None:
        self._browser = browser
        self._base_url = base_url
        self._contexts: list[BrowserContext] = []
        #: What scripts raised, and what a page's policy forbade.
        self.complaints: list[str] = []

    def __call__(self, width: int, *, theme: Theme = "light", locale: str = "en-GB") -> Page:
        context = self._browser.new_context(
            base_url=self._base_url,
            viewport={"width": width, "height": 800},
            color_scheme=theme,
            locale=locale,
        )
        context.set_default_timeout(TIMEOUT_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        return page

    def _hear(self, said: ConsoleMessage) -> None:
        if "Content Security" in said.text:
            self.complaints.append(said.text)

    def close(self) -> None:
        for context in self._contexts:
            context.close()
