"""Finds and starts the system's Chromium, and opens pages of a given width and theme."""

import os
import shutil
import time
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page

Theme = Literal["light", "dark"]

#: Milliseconds for a page to reach any expected state; generous, since a crowded machine is slow.
TIMEOUT_MS = 60_000
#: Widths in rem are read anew some frames after the text's size; what slides in is beside the page at first.
RESTING_OVERFLOW = """
async () => {
  const { documentElement: html } = document;
  for (let frames = 0; html.scrollWidth - html.clientWidth > 1 && frames < 60; frames += 1) {
    await new Promise(requestAnimationFrame);
  }
  return html.scrollWidth - html.clientWidth;
}
"""
#: A style element, as Playwright would add it, is refused by the site's CSP in silence.
ADOPT_STYLE = """
(rules) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [sheet];
}
"""
#: What Playwright turns off by itself: Chromium obeys the last list alone, so ours repeats it.
PLAYWRIGHTS_DISABLED_FEATURES = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
#: Pages of the address bar's own, and a spare process for the next site: half of what a new window costs.
COSTLY_FEATURES = (
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)
#: No GPU and no background traffic; the sandbox needs a user that isn't root.
CHROMIUM_ARGUMENTS = [
    f"--disable-features={','.join(PLAYWRIGHTS_DISABLED_FEATURES + COSTLY_FEATURES)}",
    # No test waits for the network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.getuid() == 0 else []),
]


def find_chromium() -> str | None:
    """Return the path of an installed Chromium or Chrome, or None.

    CHROMIUM=/path names one; CHROMIUM=none makes this return None.
    """
    named = os.environ.get("CHROMIUM")
    names = (named,) if named else ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def adopt_style(page: Page, rules: str) -> None:
    """Give a page a style sheet on top of its own, in place of the last one; "" takes it away again."""
    page.evaluate(ADOPT_STYLE, rules)


def wait_for(page: Page, condition: str) -> None:
    """Wait until a JavaScript expression is true; AssertionError with it after TIMEOUT_MS.

    page.wait_for_function would evaluate it inside the page, where the page's CSP refuses that.
    """
    ends = time.monotonic() + TIMEOUT_MS / 1_000
    while not _evaluate(page, condition):
        assert time.monotonic() < ends, f"it never came true: {condition}"
        page.wait_for_timeout(50)


def _evaluate(page: Page, condition: str) -> object:
    """Return what an expression is; None while one document leaves and the next is not there yet."""
    try:
        return page.evaluate(f"document.documentElement && ({condition})")
    except Error as error:
        if "Execution context was destroyed" in error.message:
            return None
        raise


def resize(page: Page, width: int, height: int) -> None:
    """Give a page's window another size (CSS pixels), and wait until the page has it."""
    page.set_viewport_size({"width": width, "height": height})
    # On a crowded machine the page may be asked something before it has heard of its size.
    wait_for(page, f"innerWidth === {width} && innerHeight === {height}")


def wait_for_scripts(page: Page) -> None:
    """Wait until static/js/app.js has started, so that every control reacts to its script."""
    wait_for(page, "document.documentElement.dataset.started !== undefined")


def horizontal_overflow(page: Page) -> int:
    """Return how many CSS pixels a page is wider than its window once it rests, or after a second."""
    return int(page.evaluate(RESTING_OVERFLOW))


class PageAt:
    """Opens pages of a given width (CSS pixels) and theme; each call starts a browser without cookies."""

    def __init__(self, browser: Browser, base_url: str) -> None:
        self._browser = browser
        self._base_url = base_url
        self._contexts: list[BrowserContext] = []
        #: Errors that scripts raised, and violations of a page's CSP.
        self.complaints: list[str] = []

    def __call__(
        self, width: int, *, theme: Theme = "light", locale: str = "en-GB", worker: bool = False
    ) -> Page:
        context = self._browser.new_context(
            service_workers="allow" if worker else "block",
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
