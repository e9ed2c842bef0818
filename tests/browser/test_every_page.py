"""Every page, narrow and wide, light and dark, in both languages: it fits and anybody can use it."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests import pages
from tests.browser import visits

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

Look = tuple[int, pages.Theme]
CITY = (
    "/",
    "/shops/",
    "/shops/?type=ktv&sort=price",
    "/shops/?type=bar&city=shanghai",
    "/shops/map/",
    "/sales/",
    "/sales/?tab=coming",
    "/sales/?tab=ended",
    "/login/",
    "/design/",
    "/orders/",
    "/orders/?status=used",
)
PEOPLE = (
    "/notes/",
    "/shops/1/notes/",
    "/feed/",
    "/notes/new/",
    "/notes/new/?shop=1",
    "/people/",
    "/sign-in/",
    "/sign-in/leaders/",
    "/sign-in/points/",
    "/me/",
    "/me/edit/",
    "/me/news/",
    "/me/sessions/",
    "/me/notes/",
    "/me/notes/?tab=drafts",
)
OF_EACH = ("", "notes/", "likes/", "followers/", "following/")
LOOKS: tuple[Look, ...] = ((360, "light"), (1280, "light"), (1280, "dark"), (360, "dark"))
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}

#: White on a masked sibling's red, which axe can't see.
UNSEEN = {"exclude": [[".ticket--hot .ticket__stub"]]}


def of_the_city(page: Page, resident: visits.Resident) -> list[str]:
    """The paths of shops, sales and orders; lists lead to the rest."""
    shop = visits.first_link(page, "/shops/", ".shop-card__name a")
    sale = visits.first_link(page, "/sales/", ".flash-card__title a")
    over = visits.first_link(page, "/sales/?tab=ended", ".flash-card__title a")
    orders = (resident.unpaid, f"{resident.unpaid}cancel/", resident.paid, resident.cancelled)
    return [*CITY, shop, sale, over, resident.coming, *orders, resident.bank]


def of_people(page: Page, resident: visits.Resident) -> list[str]:
    """The paths of notes, of somebody else and of one's own."""
    note = visits.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    author = visits.first_link(page, note, "main a[href^='/people/']")
    each = [f"{whose}{end}" for whose in (author, resident.page) for end in OF_EACH]
    return [*PEOPLE, note, f"{note}comments/", *each, f"{author}common/"]


def barriers(page: Page) -> list[str]:
    """What axe finds serious or worse, with the place."""
    found = Axe().run(page, UNSEEN, options=WCAG).response["violations"]
    serious = [one for one in found if one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in serious]


def change(page: Page, look: Look) -> None:
    """To a width and a theme."""
    page.set_viewport_size({"width": look[0], "height": 740})
    page.emulate_media(color_scheme=look[1], reduced_motion="reduce")


def overflow(page: Page, look: Look) -> list[str]:
    """By how much a page is wider than its window, if it is."""
    pixels = pages.overflow(page)
    return [f"{look}: {pixels} px too wide"] if pixels else []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("everywhere", [of_the_city, of_people])
def test_a_page_fits_complains_of_nothing_and_shuts_nobody_out(
    visit: visits.Visits,
    resident: visits.Resident,
    everywhere: Callable[[Page, visits.Resident], list[str]],
    language: visits.Language,
) -> None:
    page = visit(language=language, state=resident.state)
    # English by day and Chinese by night: axe looks at both themes, in which the page came.
    looks, found = LOOKS if language == "en" else LOOKS[::-1], {}
    for path in everywhere(page, resident):
        change(page, looks[0])
        assert visits.status(page, path) == 200, path
        found[path] = barriers(page)
        for look in looks:
            change(page, look)
            found[path] += overflow(page, look)
    assert {path: faults for path, faults in found.items() if faults} == {}


@pytest.mark.parametrize("path", ["/nowhere/", "/shops/0/"])
def test_an_error_page_fits_and_is_readable(visit: visits.Visits, path: str) -> None:
    page = visit()
    assert visits.status(page, path) == 404
    assert pages.overflow(page) == 0
    assert barriers(page) == []
    # The browser itself notes the refused request, and nothing else.
    assert all(path in text and "Failed to load" in text for text in visit.complaints)
    visit.complaints.clear()
