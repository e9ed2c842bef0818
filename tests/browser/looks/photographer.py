"""Takes the looks of pages on a demo city whose clock, and whose browsers' clocks, stand still."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, Route

from tests import chromium_pages
from tests.browser import site_browsers
from tests.browser.looks import pictures
from tests.browser.looks.pages import LookedAtPage
from tests.sites import Site

#: A Wednesday at noon in the city. In the future: Redis's own clock goes on, and what it has been told to
#: forget at a time must not be gone before it is written.
FROZEN_AT = datetime.fromisoformat("2031-06-04T12:00:00+08:00")
FROZEN_DIRECTORY = Path(__file__).parent / "frozen"
CUSTOMER_PHONE = "+8613800000100"
TOKEN_CODE = f"""
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
print(*tokens.issue_many([User.objects.get(phone="{CUSTOMER_PHONE}")], kind=AccessToken.Kind.PAGE))
"""
#: What differs from one visit to the next, and what other machines draw in their own way.
MASK = """
.ad-slot, .leaflet-container, input[type=date], ::-webkit-scrollbar { visibility: hidden !important }
* { caret-color: transparent !important }
"""
#: How many more looks, a second apart, are taken of a page that looks otherwise than it should.
MORE_LOOKS = 5
SHOWS_ALL = """
() => document.fonts.ready.then(
  () => "started" in document.documentElement.dataset || !document.querySelector("script[type=module]"),
)
"""


#: A picture is there when its window has asked for it and it is decoded: a late one is complete before that.
PICTURES_ARE_THERE = """
Promise.all(
  [...document.images].filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
    .filter(([, box]) => box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0)
    .map(([one]) => one.decode().then(() => one.naturalWidth > 0, () => false)),
).then((each) => each.every(Boolean))
"""


@contextmanager
def frozen_city(directory: Path) -> Iterator[Site]:
    """Run a demo city in which it stays FROZEN_AT."""
    clock = {"PYTHONPATH": str(FROZEN_DIRECTORY), "FROZEN_AT": FROZEN_AT.isoformat()}
    with Site(directory, **clock) as site:  # type: ignore[arg-type]
        site.manage("seed_demo", "--shops", "60", "--verbosity", "0")
        site.start("web")
        yield site


class Photographer:
    """One browser with a visitor's and a customer's window, for each language."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self._browser, self._site = browser, site
        self._token = site.manage("shell", "--no-imports", "-c", TOKEN_CODE).strip()
        self._pages: dict[tuple[str, bool], Page] = {}

    def take(
        self, page: LookedAtPage, kept: Mapping[pictures.Look, Image.Image]
    ) -> dict[pictures.Look, Image.Image]:
        """Return the eight looks of a page, small; it is loaded once for each language, first narrow.

        A look that isn't the kept one is taken again for some seconds.
        """
        taken: dict[pictures.Look, Image.Image] = {}
        opened: set[str] = set()
        for language, width, theme in pictures.LOOKS:
            window = self._window(language, page.is_personal)
            chromium_pages.resize(window, *pictures.WINDOWS[width])
            if language not in opened:
                _open(window, page)
                opened.add(language)
            _settle(window)
            window.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            look = (language, width, theme)
            taken[look] = _take_look(window, kept.get(look))
        return taken

    def close(self) -> None:
        for page in self._pages.values():
            page.context.close()

    def _window(self, language: str, is_personal: bool) -> Page:
        key = (language, is_personal)
        if key not in self._pages:
            self._pages[key] = self._new_window(*key)
        return self._pages[key]

    def _new_window(self, language: str, is_personal: bool) -> Page:
        context = self._browser.new_context(
            base_url=self._site.base_url,
            locale=site_browsers.LOCALES[language],  # type: ignore[index]
            timezone_id="Asia/Shanghai",
            bypass_csp=True,
        )
        context.set_default_timeout(chromium_pages.TIMEOUT_MS)
        context.clock.set_fixed_time(FROZEN_AT)
        context.route("**/css/site.*.css", _wait_for_fonts)
        if is_personal:
            self._log_in(context)
        return context.new_page()

    def _log_in(self, context: BrowserContext) -> None:
        context.add_cookies([{"name": "savor_token", "value": self._token, "url": self._site.base_url}])


def _wait_for_fonts(route: Route) -> None:
    """A page of the site doesn't wait for its fonts; a picture does."""
    answer = route.fetch()
    style = answer.text().replace("font-display: optional", "font-display: block")
    route.fulfill(response=answer, body=style)


def _open(window: Page, page: LookedAtPage) -> None:
    window.emulate_media(color_scheme="light", reduced_motion="reduce")
    window.goto(page.path)
    if page.link:
        window.goto(str(window.locator(page.link).first.get_attribute("href")))
    window.add_style_tag(content=MASK)
    window.wait_for_function(SHOWS_ALL)
    window.wait_for_load_state("networkidle")


def _take_look(window: Page, kept: Image.Image | None) -> Image.Image:
    for _ in range(MORE_LOOKS):
        picture = _screenshot(window)
        if kept is None or not pictures.differs(kept, picture):
            return picture
        # A crowded machine paints a picture that is there a moment late.
        window.wait_for_timeout(1_000)
    return _screenshot(window)


def _screenshot(window: Page) -> Image.Image:
    return pictures.shrink(window.screenshot(animations="disabled", caret="hide"))


def _settle(window: Page) -> None:
    """Wait for the pictures of the window as it is now."""
    chromium_pages.wait_for(window, PICTURES_ARE_THERE)
