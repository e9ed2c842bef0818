"""Texts and icons stand out from the pixels behind them, pictures too, in light and dark."""

import pytest
from playwright.sync_api import expect

from tests import chromium_pages
from tests.browser import contrast, site_browsers

pytestmark = pytest.mark.browser
#: The system's theme, and what was chosen by the button.
MODES: list[tuple[chromium_pages.Theme, str]] = [
    ("light", "system"),
    ("dark", "system"),
    ("light", "dark"),
    ("dark", "light"),
]
OTHER_PAGES = ("/shops/1/", "/rankings/bar/", "/sales/", "/notes/")


def find_faint_texts(
    visit: site_browsers.SiteBrowsers,
    mode: tuple[chromium_pages.Theme, str],
    width: int,
    paths: tuple[str, ...],
) -> dict[str, list[str]]:
    """Return what is faint on pages in a mode, by path; on home "Near me" was refused."""
    theme, chosen = mode
    page = visit(width, theme=theme)
    page.add_init_script(f"localStorage.setItem('savor-theme', '{chosen}')")
    found = {}
    for path in paths:
        page.goto(path)
        chromium_pages.wait_for_scripts(page)
        if path == "/":
            page.get_by_role("main").get_by_role("button", name="Near me").first.click()
            expect(page.locator("[data-tone=error]").first).to_be_visible()
        chromium_pages.wait_for(
            page, "[...document.images].every((one) => one.loading === 'lazy' || one.complete)"
        )
        found[path] = [str(one) for one in contrast.find_faint_texts(page)]
    return found


@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_home_is_legible_over_its_picture(
    visit: site_browsers.SiteBrowsers, mode: tuple[chromium_pages.Theme, str]
) -> None:
    found = {width: find_faint_texts(visit, mode, width, ("/",)) for width in (360, 1024, 1280)}
    assert found == {width: {"/": []} for width in (360, 1024, 1280)}


@pytest.mark.parametrize("mode", MODES[:2], ids="-".join)
def test_pages_with_pictures_are_legible(
    visit: site_browsers.SiteBrowsers, mode: tuple[chromium_pages.Theme, str]
) -> None:
    assert find_faint_texts(visit, mode, 360, OTHER_PAGES) == {path: [] for path in OTHER_PAGES}


def test_what_is_chosen_is_framed_where_the_system_forces_its_colours(
    visit: site_browsers.SiteBrowsers,
) -> None:
    page = visit(360)
    page.emulate_media(forced_colors="active")
    page.goto("/shops/")
    page.locator(".list-order > summary").click()
    for group in (".chips", ".segments", ".tabbar"):
        outlines = page.locator(f"{group} > a").evaluate_all(
            "all => all.map(one => [one.hasAttribute('aria-current'), getComputedStyle(one).outlineStyle])"
        )
        assert {tuple(one) for one in outlines} == {(True, "solid"), (False, "none")}, group
    page.goto("/sales/")
    assert page.locator("progress").first.evaluate("(bar) => getComputedStyle(bar).borderTopStyle") == "solid"


def test_bars_scroll_away_in_a_low_window(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(320)
    chromium_pages.resize(page, 320, 200)
    for path, bars in (("/shops/1/", (".header", ".actions")), ("/sales/", (".header", ".tabbar"))):
        page.goto(path)
        for bar in bars:
            place = page.locator(bar).evaluate("(bar) => getComputedStyle(bar).position")
            assert place in ("static", "relative"), bar
