"""What is wrong with an open page: for axe, for a thumb, for a window's width, for large text."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import CDPSession, Page

from tests import chromium_pages

#: Everything that axe knows, best practices too. It gets no stylesheets: it would write each into the page,
#: which the page's CSP forbids, and only its experimental rules read them.
AXE_OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
#: Its other results are many times as long.
RUN_AXE = """
([around, options]) => axe.run(around, options).then(({ violations }) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`))
"""
#: What a thumb presses; links inside a sentence are as high as its lines.
CONTROLS = (
    ".btn, .tool, .crumb, .chip, .tabs a, .segments a, .section__more, .comment__act, .note-card__author, "
    ".tabbar a, .heart__button, .footer a, main select, main textarea, "
    "main input:not([type=hidden], [type=radio], [type=checkbox], [type=file])"
)
SMALL_CONTROLS = """
found => found.filter(one => one.checkVisibility({ visibilityProperty: true }))
  .map(one => [one, one.getBoundingClientRect()])
  .filter(([one, box]) => box.width > 1 && Math.min(box.height, box.width) < 43.5)
  .map(([one, box]) => `${one.className} ${Math.round(box.width)} x ${Math.round(box.height)} px`)
"""
#: CSS pixels of a browser's text, as it comes and at 200 %.
TEXT_SIZE, LARGE_TEXT_SIZE = 16, 32


def find_axe_violations(
    page: Page, *, excluded: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> list[str]:
    """Return axe's violations of any level outside the excluded selectors, with an element's HTML each.

    `without` names rules that are not asked for.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = AXE_OPTIONS | {"rules": {rule: {"enabled": False} for rule in without}}
    return list(page.evaluate(RUN_AXE, [{"exclude": [[selector] for selector in excluded]}, options]))


def find_small_controls(page: Page) -> list[str]:
    """Return the visible controls that are lower or narrower than 44 pixels."""
    return list(page.locator(CONTROLS).evaluate_all(SMALL_CONTROLS))


def measure_overflow(
    page: Page, width: int, height: int = 740, *, text: str = "text as it comes"
) -> list[str]:
    """Return a message if the page is wider than a window of this width, or else an empty list."""
    chromium_pages.resize(page, width, height)
    pixels = chromium_pages.horizontal_overflow(page)
    # A pixel is how far the browser rounds.
    return [f"{width}, {text}: {pixels} px too wide"] if pixels > 1 else []


def set_text_size(session: CDPSession, pixels: int) -> None:
    session.send("Page.setFontSizes", {"fontSizes": {"standard": pixels, "fixed": pixels}})
