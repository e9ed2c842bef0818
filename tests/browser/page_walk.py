"""A walk over every page of a demo city whose clock stands still: one visit asks a page everything."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from django.urls import Resolver404, resolve
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage
from playwright.sync_api import Page as Window

from apps.demo import logins
from tests import chromium_pages, page_texts, sites
from tests.browser import cities, page_faults, page_list, site_browsers
from tests.browser.looks import pictures
from tests.browser.neighbours import Neighbour
from tests.browser.page_list import Page, Reader
from tests.sites import Site

#: A Wednesday at noon in the city. In the future: Redis's own clock goes on, and what it has been told to
#: forget at a time must not be gone before it is written.
FROZEN_AT = datetime.fromisoformat("2031-06-04T12:00:00+08:00")
CLOCK: dict[str, Any] = {
    "PYTHONPATH": str(Path(__file__).parent / "frozen"),
    "FROZEN_AT": FROZEN_AT.isoformat(),
}
NAMES_CODE = """
import json
from apps.accounts.models import User
from apps.blog.models import Dish
people, dishes = User.objects.values_list("nickname", flat=True), Dish.objects.values_list("name", flat=True)
print(json.dumps([[*people], [*dishes]]))
"""
PHONES: dict[Reader, str] = {
    "customer": logins.CUSTOMER_PHONE,
    "newcomer": "+8613900001180",
    "owner": logins.OWNER_PHONE,
}
#: What `lang` says of the pages in a language.
LANG: dict[site_browsers.Language, str] = {"en": "en", "zh": "zh-hans"}
#: Pages that show code, keys and books in their own words (tests/patterns has their two languages), and the
#: sandbox bank's, which says what it was told in the language of whoever began to pay.
IN_MANY_LANGUAGES = ("/design", "/lens", "/patterns", "/sandbox")
NARROW, MIDDLE, WIDE = 360, 768, 1280
#: Of large text: 320 pixels are a 1280-pixel window at 400 %, as WCAG 1.4.10 wants it.
LARGE_TEXT_WIDTHS = (768, 320)
#: White on a masked sibling's red, which axe can't see.
IGNORED_BY_AXE = (".ticket--hot .ticket__stub",)
#: What differs from one visit to the next, what other machines draw in their own way, and what changes with
#: other tests: they visit shops of this site, after which others are popular.
MASK = """
[aria-labelledby=popular-shops] *,
.ad-slot, .leaflet-container, input[type=date], ::-webkit-scrollbar { visibility: hidden !important }
* { caret-color: transparent !important }
"""
#: A page that a browser looks at in advance is no visit: the shops that are popular stay so during the walk.
NO_VISIT = {"X-Purpose": "preview"}
IS_WRITING = os.environ.get("LOOKS") == "write"
#: Where a look that isn't the kept one leaves both, and what differs.
DIFFERENCES = sites.ROOT / "var" / "looks"
#: How many more looks, a second apart, are taken of a page that looks otherwise than it should.
MORE_LOOKS = 5
#: Waits for fonts and scripts, and until the page shows what is its reader's own: axe would judge a link that
#: appears meanwhile by its text of before. Looks at each changed attribute; false after the milliseconds.
SHOWS_ALL = """
async (patience) => {
  const html = document.documentElement;
  const isShown = () => {
    const { started, reader } = html.dataset;
    const isKnown = reader === "visitor"
      || (reader === "person"
        && !document.querySelector(".header :is([data-for=person], [data-me])[hidden]"));
    return (started !== undefined && isKnown) || !document.querySelector("script[type=module]");
  };
  const late = new Promise((resolve) => setTimeout(resolve, patience, false));
  const shown = new Promise((resolve) => {
    const look = () => isShown() && resolve(true);
    const attributeFilter = ["data-started", "data-reader", "hidden"];
    new MutationObserver(look).observe(html, { attributes: true, attributeFilter, subtree: true });
    look();
  });
  await document.fonts.ready;
  return Promise.race([shown, late]);
}
"""
#: A picture is there when its window has asked for it and it is decoded: a late one is complete before that.
PICTURES_ARE_THERE = """
Promise.all(
  [...document.images].filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
    .filter(([, box]) => box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0)
    .map(([one]) => one.decode().then(() => one.naturalWidth > 0, () => false)),
).then((each) => each.every(Boolean))
"""


@dataclass(frozen=True)
class Visit:
    """A visit's language, and its theme in the narrow window; the wide window has the other theme."""

    language: site_browsers.Language
    theme: chromium_pages.Theme

    def __str__(self) -> str:
        return f"{self.language}-{self.theme}"

    @property
    def is_measured(self) -> bool:
        """Whether it tries the middle width and large text: a theme changes no width."""
        return self.theme == "light"

    @property
    def wide_theme(self) -> chromium_pages.Theme:
        return "dark" if self.theme == "light" else "light"


@contextmanager
def run_frozen_city(directory: Path) -> Iterator[tuple[Site, re.Pattern[str]]]:
    """Run a demo city in which it stays FROZEN_AT; yield it with a pattern of the names in it."""
    origin = cities.seed_once("frozen", NAMES_CODE, **CLOCK)
    people, dishes = json.loads(cities.read_printed(origin)[-1])
    with Site(directory, origin=origin, **CLOCK) as site:
        site.start("web")
        yield site, page_texts.compile_names(people, dishes)


def find_items(customer: Neighbour, owner: Neighbour) -> dict[str, str]:
    """Return what stands for the names in the addresses of page_list.PAGES."""
    items: dict[str, str] = {}
    for name, (path, pattern) in page_list.ITEMS.items():
        found = re.search(pattern, customer.read(path.format(**items)))
        assert found, f"no {name} in {path}"
        items[name] = found[1]
    items["bank"] = site_browsers.begin_payment(customer, f"/orders/{items['unpaid']}/")
    own = re.search(r'href="/shops/(\d+)/edit/"', owner.read("/me/"))
    assert own, "no shop of the owner"
    items["own"] = own[1]
    items["draft"] = str(customer.send("POST", "/api/notes", **site_browsers.DRAFT)["id"])
    return items


class PageWalk:
    """One browser with a window for each language; `seen` keeps the looks of the pages that it visits."""

    def __init__(self, browser: Browser, site: Site, names: re.Pattern[str]) -> None:
        self._browser, self._site = browser, site
        self._readers = {reader: Neighbour(site, phone) for reader, phone in PHONES.items()}
        # Who is new has a name that the city didn't know when its names were read.
        new_name = self._readers["newcomer"].send("GET", "/api/me")["nickname"]
        self._names = re.compile(f"{names.pattern}|{re.escape(new_name)}")
        self._items = find_items(self._readers["customer"], self._readers["owner"])
        self._windows: dict[site_browsers.Language, Window] = {}
        self._complaints: list[str] = []
        self.seen: dict[str, dict[pictures.Look, Image.Image]] = {}

    def find_faults(self, name: str, visit: Visit) -> list[str]:
        """Visit a page once; return what is wrong with it, a message each."""
        page, window = page_list.PAGES[name], self._window(visit.language)
        status = self._open(window, page, visit)
        if status != page.status:
            return [f"status {status}"]
        path = urlsplit(window.url).path
        faults = [*self._find_foreign_texts(window, path, LANG[visit.language])]
        faults += page_faults.find_axe_violations(
            window, excluded=IGNORED_BY_AXE, without=("landmark-unique",) if path == page_list.GALLERY else ()
        )
        faults += page_faults.find_small_controls(window)
        faults += [*self._change_widths(window, name, visit)]
        if visit.is_measured:
            faults += _enlarge_text(window)
        return faults + [text for text in self._complaints if not _is_about_refusal(text, page, path)]

    def close(self) -> None:
        for window in self._windows.values():
            window.context.close()

    def _open(self, window: Window, page: Page, visit: Visit) -> int:
        # What one reader's browser keeps is not the next one's.
        window.evaluate("location.protocol === 'http:' && localStorage.clear()")
        chromium_pages.resize(window, NARROW, pictures.WINDOWS[NARROW][1])
        window.emulate_media(color_scheme=visit.theme, reduced_motion="reduce")
        window.context.clear_cookies()
        if page.reader != "visitor":
            token = self._readers[page.reader].token
            window.context.add_cookies([{"name": "savor_token", "value": token, "url": self._site.base_url}])
        self._complaints.clear()
        status = site_browsers.get_status(window, page.path.format(**self._items))
        assert window.evaluate(SHOWS_ALL, chromium_pages.TIMEOUT_MS), f"{window.url} has not shown all"
        return status

    def _find_foreign_texts(self, window: Window, path: str, language: str) -> Iterator[str]:
        if path.startswith(IN_MANY_LANGUAGES):
            return
        try:
            view = resolve(path).view_name
        except Resolver404:
            view = ""
        found = page_texts.find_foreign_texts(window.content(), language, view=view, names=self._names)
        yield from (f"not in {language}: {text}" for text in found)

    def _change_widths(self, window: Window, name: str, visit: Visit) -> Iterator[str]:
        """Look at a page in a narrow, a middle and a wide window, which has the other theme."""
        yield from self._look(window, name, (visit.language, NARROW, visit.theme))
        yield from page_faults.measure_overflow(window, *pictures.WINDOWS[NARROW])
        if visit.is_measured:
            yield from page_faults.measure_overflow(window, MIDDLE)
        yield from page_faults.measure_overflow(window, *pictures.WINDOWS[WIDE])
        window.emulate_media(color_scheme=visit.wide_theme)
        yield from self._look(window, name, (visit.language, WIDE, visit.wide_theme))

    def _look(self, window: Window, name: str, look: pictures.Look) -> Iterator[str]:
        """Keep what the page looks like; yield a message if that isn't what was kept before."""
        if not page_list.PAGES[name].has_look:
            return
        kept = pictures.read(name).get(look)
        seen = self.seen.setdefault(name, {})[look] = _take_look(window, None if IS_WRITING else kept)
        if not IS_WRITING and (message := pictures.compare(kept, seen)):
            DIFFERENCES.mkdir(parents=True, exist_ok=True)
            file = DIFFERENCES / f"{name}-{'-'.join(map(str, look))}.png"
            pictures.explain(kept, seen).save(file)
            yield f"{message}: see {file}; `make looks` keeps how it is now"

    def _window(self, language: site_browsers.Language) -> Window:
        if language not in self._windows:
            context = self._browser.new_context(
                service_workers="block",
                base_url=self._site.base_url,
                locale=site_browsers.LOCALES[language],
                timezone_id="Asia/Shanghai",
                extra_http_headers=NO_VISIT,
            )
            context.set_default_timeout(chromium_pages.TIMEOUT_MS)
            context.clock.set_fixed_time(FROZEN_AT)
            context.add_init_script(AXE_SCRIPT)
            window = self._windows[language] = context.new_page()
            window.on("console", self._hear)
            window.on("pageerror", lambda error: self._complaints.append(str(error)))
        return self._windows[language]

    def _hear(self, said: ConsoleMessage) -> None:
        url = said.location["url"]
        # Axe tries inline styles, which the page's CSP forbids: its script has no address.
        if said.type in {"error", "warning"} and url.startswith(self._site.base_url):
            self._complaints.append(f"{url}: {said.text}")


def _is_about_refusal(complaint: str, page: Page, path: str) -> bool:
    """Tell whether the browser itself notes that an error page's request was refused."""
    return page.status >= 400 and path in complaint and "Failed to load" in complaint


def _enlarge_text(window: Window) -> list[str]:
    """Return what is too wide with large text; the next page has text as it comes."""
    session = window.context.new_cdp_session(window)
    page_faults.set_text_size(session, page_faults.LARGE_TEXT_SIZE)
    faults = [
        fault
        for width in LARGE_TEXT_WIDTHS
        for fault in page_faults.measure_overflow(window, width, text="large text")
    ]
    page_faults.set_text_size(session, page_faults.TEXT_SIZE)
    session.detach()
    return faults


def _take_look(window: Window, kept: Image.Image | None) -> Image.Image:
    chromium_pages.wait_for(window, PICTURES_ARE_THERE)
    for _ in range(MORE_LOOKS):
        seen = _screenshot(window)
        if kept is None or not pictures.compare(kept, seen):
            return seen
        # A crowded machine paints a picture that is there a moment late.
        window.wait_for_timeout(1_000)
    return _screenshot(window)


def _screenshot(window: Window) -> Image.Image:
    chromium_pages.adopt_style(window, MASK)
    taken = window.screenshot(type="jpeg", quality=90, animations="disabled", caret="hide")
    chromium_pages.adopt_style(window, "")
    return pictures.shrink(taken)
