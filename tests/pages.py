"""The system's Chromium for tests: where it is, how it starts, and a page of a given width and theme."""

import os
import shutil
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page

Theme = Literal["light", "dark"]

#: No GPU, no talk with the outside; a sandbox needs a user that isn't root.
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.getuid() == 0 else []),
]


def chromium() -> str | None:
    """The path of an installed Chromium or Chrome, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class PageAt:
    """Opens pages of a width (CSS pixels) and theme; each call is a browser of its own, without cookies."""

    def __init__(self, browser: Browser, base_url: str) -> None:
        self._browser = browser
        self._base_url = base_url
        self._contexts: list[BrowserContext] = []

    def __call__(self, width: int, *, theme: Theme = "light", locale: str = "en-GB") -> Page:
        context = self._browser.new_context(
            base_url=self._base_url,
            viewport={"width": width, "height": 800},
            color_scheme=theme,
            locale=locale,
        )
        self._contexts.append(context)
        return context.new_page()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
