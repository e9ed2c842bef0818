"""Every page fits its window and is accessible: English by day, Chinese by night, also with large text."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.utils import timezone
from playwright.sync_api import CDPSession, Page

from tests import chromium_pages
from tests.browser import page_list, site_browsers

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_200)]

SUBPAGES_OF_NOTE_OR_PERSON = ("", "notes/", "likes/", "followers/", "following/")
SUBPAGES_OF_CHAT = ("", "about/", "report/", "leave/")
#: A theme changes no width: each language has one, in which axe looks at the first width.
WIDTHS = (360, 768, 1280)
THEMES: dict[site_browsers.Language, chromium_pages.Theme] = {"en": "light", "zh": "dark"}
#: Of large text: 320 pixels are a 1280-pixel window at 400 %, as WCAG 1.4.10 wants it.
LARGE_TEXT_WIDTHS = (320, 768)
#: CSS pixels of a browser's text, as it comes and at 200 %.
TEXT_SIZE, LARGE_TEXT_SIZE = 16, 32
#: Everything that axe knows, best practices too. It gets no stylesheets: it would write each into the page,
#: which the page's CSP forbids, and only its experimental rules read them.
AXE_OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
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

#: White on a masked sibling's red, which axe can't see.
IGNORED_BY_AXE = {"exclude": [[".ticket--hot .ticket__stub"]]}

#: Whether the page has shown what waits for its reader, and their name.
KNOWS_READER = "() => !document.querySelector('.header :is([data-for=person], [data-me])[hidden]')"


def city_paths(page: Page, resident: site_browsers.Resident) -> list[str]:
    """Return the paths of shops, sales and orders, found through the lists."""
    shop = site_browsers.first_link(page, "/shops/", ".shop-card__name a")
    sale = site_browsers.first_link(page, "/sales/", ".flash-card__title a")
    over = site_browsers.first_link(page, "/sales/?tab=ended", ".flash-card__title a")
    orders = (resident.unpaid, f"{resident.unpaid}cancel/", resident.paid, f"{resident.paid}refund/")
    return [
        *page_list.CITY,
        shop,
        sale,
        over,
        resident.coming,
        *orders,
        resident.cancelled,
        resident.bank,
    ]


def people_paths(page: Page, resident: site_browsers.Resident) -> list[str]:
    """Return the paths of notes, of another person, of the resident, and of a chat between the two."""
    note = site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    author = site_browsers.first_link(page, note, "main a[href^='/people/']")
    each = [f"{whose}{end}" for whose in (author, resident.page) for end in SUBPAGES_OF_NOTE_OR_PERSON]
    answer = site_browsers.first_link(page, f"{note}comments/", "a[href^='/comments/'][href$='/reply/']")
    chat = open_chat(page, author)
    chats = [f"{chat}{end}" for end in SUBPAGES_OF_CHAT]
    share = f"/chats/share/?kind=note&id={note.split('/')[2]}"
    return [
        *page_list.PEOPLE,
        note,
        f"{note}comments/",
        answer,
        answer.removesuffix("reply/"),
        resident.draft,
        f"{resident.draft}edit/",
        f"{resident.draft}delete/",
        *each,
        f"{author}common/",
        f"/report/note/{note.split('/')[2]}/",
        f"{author}block/",
        f"/sign-in/make-up/?day={timezone.localdate() - timedelta(days=2)}",
        *chats,
        share,
    ]


def open_chat(page: Page, person: str) -> str:
    """Write to a person from their page; return the path of the chat."""
    page.goto(person)
    with page.expect_navigation():
        page.locator("form[action^='/chats/with/'] button").click()
    return site_browsers.path_of(page)


def find_axe_violations(page: Page) -> list[str]:
    """Return axe's violations of any level, each with the HTML of its first element."""
    options = AXE_OPTIONS | {"rules": {"landmark-unique": {"enabled": page_list.GALLERY not in page.url}}}
    found = Axe().run(page, IGNORED_BY_AXE, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def find_small_controls(page: Page) -> list[str]:
    """Return the visible controls that are lower or narrower than 44 pixels."""
    return list(page.locator(CONTROLS).evaluate_all(SMALL_CONTROLS))


def measure_overflow(page: Page, width: int, text: str = "text as it comes") -> list[str]:
    """Return a message if the page is wider than a window of this width, or else an empty list."""
    chromium_pages.resize(page, width, 740)
    pixels = chromium_pages.horizontal_overflow(page)
    # A pixel is how far the browser rounds.
    return [f"{width}, {text}: {pixels} px too wide"] if pixels > 1 else []


def set_text_size(session: CDPSession, pixels: int) -> None:
    session.send("Page.setFontSizes", {"fontSizes": {"standard": pixels, "fixed": pixels}})


def find_faults(page: Page) -> list[str]:
    """Return what is wrong with an open page of the first width; leave an empty one."""
    faults = find_axe_violations(page) + find_small_controls(page)
    for width in WIDTHS:
        faults += measure_overflow(page, width)
    session = page.context.new_cdp_session(page)
    set_text_size(session, LARGE_TEXT_SIZE)
    for width in LARGE_TEXT_WIDTHS:
        faults += measure_overflow(page, width, "large text")
    # Nothing is laid out anew for the next page's window.
    page.goto("about:blank")
    set_text_size(session, TEXT_SIZE)
    session.detach()
    chromium_pages.resize(page, WIDTHS[0], 740)
    return faults


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("everywhere", [city_paths, people_paths])
def test_a_page_fits_complains_of_nothing_and_shuts_nobody_out(
    visit: site_browsers.SiteBrowsers,
    resident: site_browsers.Resident,
    everywhere: Callable[[Page, site_browsers.Resident], list[str]],
    language: site_browsers.Language,
) -> None:
    page, found = visit(WIDTHS[0], language=language, theme=THEMES[language], state=resident.state), {}
    page.emulate_media(reduced_motion="reduce")
    for path in everywhere(page, resident):
        assert site_browsers.get_status(page, path) == 200, path
        # Axe would judge a link that appears while it looks by its text of before.
        page.wait_for_function(KNOWS_READER)
        found[path] = find_faults(page)
    assert {path: faults for path, faults in found.items() if faults} == {}


@pytest.mark.parametrize("path", ["/nowhere/", "/shops/0/"])
def test_an_error_page_fits_and_is_readable(visit: site_browsers.SiteBrowsers, path: str) -> None:
    page = visit()
    assert site_browsers.get_status(page, path) == 404
    assert chromium_pages.horizontal_overflow(page) == 0
    assert find_axe_violations(page) == []
    # The browser itself notes the refused request, and nothing else.
    assert all(path in text and "Failed to load" in text for text in visit.complaints)
    visit.complaints.clear()
