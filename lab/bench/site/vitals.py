"""Measures what a phone's reader feels: `python -m lab.bench.site.vitals [--shops N] [--rounds N]`.

A demo city behind the Procfile's web server, and Chromium with a processor four times slower on a line of
1.6 Mbit/s with 150 ms to the server (Lighthouse's "slow 4G"). Each visit has an empty cache, and presses what
its page is for. LCP, CLS and INP come from Chromium's PerformanceObserver: https://web.dev/articles/vitals. A
document of the same server with nothing but a button shows what browser and machine take by themselves.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from lab.bench import reports
from tests import chromium_pages
from tests.browser import site_browsers
from tests.sites import Site

PROCESSOR_SLOWDOWN = 4
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
#: Milliseconds, a share, milliseconds; of a first visit, pictures in sight included.
MAX_LCP, MAX_CLS, MAX_INP = 1_500, 0.05, 100
MAX_REQUESTS, MAX_BYTES = 15, 120_000
#: A page that updates itself is watched so long (milliseconds), for shifts.
WATCHED_MS = 3_000
#: Event timing tells of no interaction below this (milliseconds), and of others when a frame has been shown.
MIN_TOLD, TOLD_WITHIN_SECONDS = 16, 2.0
#: A document of a line, from the same server.
BARE_PATH = "/healthz"
OBSERVERS = """
window.vitals = { lcp: 0, cls: 0, pressed: {} };
const observe = (type, hear, more) => new PerformanceObserver((list) => list.getEntries().forEach(hear))
  .observe({ type, buffered: true, ...more });
observe("largest-contentful-paint", (entry) => (vitals.lcp = entry.startTime));
observe("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.cls += entry.value; });
observe("event", ({ interactionId: id, duration }) => {
  if (id) vitals.pressed[id] = Math.max(vitals.pressed[id] ?? 0, duration);
}, { durationThreshold: 16 });
"""


@dataclass(frozen=True)
class Press:
    """What a finger presses, and letters that are typed there."""

    name: str
    selector: str
    letters: str = ""


#: What every page has: the theme goes from the system's to light to dark.
THEME = (Press("theme", "[data-theme-toggle]"),) * 2
SHARE = (Press("share", "a[data-share]"), Press("close the sheet", "dialog[open] [data-close]"))
PHOTO = (Press("photo", "a[data-photo]"), Press("close the photo", ".viewer__close"))
FILTERS = (
    Press("filter", "#shop-filters label.chip"),
    Press("open the filters", "[data-filter-sheet] summary"),
    Press("filter in the sheet", "[data-filter-sheet] label.check"),
    Press("close the filters", "[data-filter-done]"),
)


@dataclass(frozen=True)
class Reading:
    """A page, its path in each round, what its reader presses, and their storage state (None: a visitor)."""

    name: str
    paths: Sequence[str]
    presses: tuple[Press, ...]
    state: StorageState | None = None


@dataclass(frozen=True)
class Visit:
    """What one visit transferred and took: bytes, milliseconds, a share; the milliseconds of each press."""

    requests: int
    size: int
    lcp: float
    cls: float
    pressed: dict[str, float]


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--shops", type=int, default=480, help="of the city (default 480)")
    options.add_argument("--rounds", type=int, default=5, help="visits of each page (default 5)")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as name, Site(Path(name)) as site:
        site.manage("seed_demo", "--shops", str(chosen.shops), "--verbosity", "0")
        site.start("web", "consumer", "worker")
        report = measure(site, chosen.rounds)
    print(report)
    reports.save_report("vitals", report)


def measure(site: Site, rounds: int) -> str:
    """Return the report in Markdown."""
    expect.set_options(timeout=chromium_pages.TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_pages.find_chromium(), args=chromium_pages.CHROMIUM_ARGUMENTS
        )
        opened = site_browsers.SiteBrowsers(browser, site)
        readings = _readings(opened, rounds)
        opened.close()
        # The machine's better and worse minutes fall on all pages alike.
        visits = [[visit(browser, site, reading, number) for reading in readings] for number in range(rounds)]
        engine = f"Chromium {browser.version}"
        browser.close()
    rows = [_row(reading.name, own) for reading, own in zip(readings, zip(*visits, strict=True), strict=True)]
    return _report(rows, rounds, engine)


def _readings(opened: site_browsers.SiteBrowsers, rounds: int) -> list[Reading]:
    *running, coming = site_browsers.create_sales(opened.site, 0, 0, 0, 3_600)
    resident, page = site_browsers.prepare_resident(opened.site, iter(running), coming), opened()
    shop = site_browsers.first_link(page, "/shops/", ".shop-card__name a")
    note = site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    search = Press("search", "#home-search", "noodle")
    comment = Press("comment", ".comment-form textarea", "Tasty!")
    heart, grab = Press("like", ".heart__button"), Press("grab", ".grab__btn--hot")
    question = (Press("refund", "[data-dialog-open]"), Press("close", "dialog[open] [data-dialog-close]"))
    sales = site_browsers.create_sales(opened.site, *[0] * rounds)
    return [
        Reading("nothing but a button", [BARE_PATH], (Press("button", "button"),)),
        Reading("home", ["/"], (*THEME, search)),
        Reading("list", ["/shops/"], (*THEME, *FILTERS)),
        Reading("shop", [shop], (*THEME, *SHARE, *PHOTO)),
        Reading("note", [note], (*THEME, heart, comment, *SHARE, *PHOTO), resident.state),
        Reading("sale", sales, (*THEME, grab), resident.state),
        Reading("order", [resident.paid], (*THEME, *question), resident.state),
        Reading("feed", ["/feed/"], (*THEME, heart, heart), resident.state),
    ]


def visit(browser: Browser, site: Site, reading: Reading, number: int) -> Visit:
    """Open a page on a slow phone with an empty cache, press what is there, and return what it took."""
    context = browser.new_context(
        base_url=site.base_url,
        viewport={"width": 360, "height": 740},
        device_scale_factor=2,
        has_touch=True,
        storage_state=reading.state,
    )
    context.set_default_timeout(chromium_pages.TIMEOUT_MS)
    context.add_init_script(OBSERVERS)
    page = context.new_page()
    sizes, path = _throttle(page), reading.paths[number % len(reading.paths)]
    page.goto(path, wait_until="load")
    if path == BARE_PATH:
        page.evaluate("document.body.append(document.createElement('button'))")
    else:
        chromium_pages.wait_for_scripts(page)
    page.wait_for_timeout(WATCHED_MS)
    transferred = dict(sizes)
    pressed: dict[str, float] = {}
    for one in reading.presses:
        pressed[one.name] = max(pressed.get(one.name, 0), press(page, one))
    vitals = page.evaluate("window.vitals")
    context.close()
    return Visit(len(transferred), sum(transferred.values()), vitals["lcp"], vitals["cls"], pressed)


def press(page: Page, one: Press) -> float:
    """Press with a finger, type the letters, and return the milliseconds until the slowest showed."""
    known, count = _told(page), page.evaluate("performance.interactionCount")
    target = page.locator(one.selector).first
    # By force: to see that nothing lies over the target, Playwright listens to touches inside the page.
    target.tap(force=True)
    if one.letters:
        target.press_sequentially(one.letters)
    chromium_pages.wait_for(page, f"performance.interactionCount > {count}")
    ends = time.monotonic() + TOLD_WITHIN_SECONDS
    while time.monotonic() < ends and not one.letters and len(_told(page)) == len(known):
        page.wait_for_timeout(50)
    # What the press sets going has come to rest when the next one comes.
    page.wait_for_timeout(1_000)
    return max((took for number, took in _told(page).items() if number not in known), default=MIN_TOLD)


def _told(page: Page) -> dict[str, float]:
    """Return the milliseconds of each interaction that Chromium has told of, by its number."""
    return dict(page.evaluate("window.vitals.pressed"))


def _throttle(page: Page) -> dict[str, int]:
    """Slow a page down; return the bytes of what it receives, by request, which grow as it does."""
    client, sizes = page.context.new_cdp_session(page), dict[str, int]()

    def receive(event: dict[str, Any]) -> None:
        if not event["response"].get("fromDiskCache"):
            sizes[event["requestId"]] = 0

    def finish(event: dict[str, Any]) -> None:
        if event["requestId"] in sizes:
            sizes[event["requestId"]] = int(event["encodedDataLength"])

    client.on("Network.responseReceived", receive)
    client.on("Network.loadingFinished", finish)
    client.send("Network.enable")
    client.send("Network.emulateNetworkConditions", NETWORK)
    client.send("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR_SLOWDOWN})
    return sizes


def _row(name: str, visits: Sequence[Visit]) -> list[str]:
    lcp, cls = (median(getattr(one, vital) for one in visits) for vital in ("lcp", "cls"))
    requests, size = (median(getattr(one, count) for one in visits) for count in ("requests", "size"))
    presses = {name: median(one.pressed[name] for one in visits) for name in visits[0].pressed}
    slowest = max(presses, key=lambda name: presses[name])
    inp = presses[slowest]
    is_met = lcp <= MAX_LCP and cls <= MAX_CLS and inp <= MAX_INP
    is_light = requests <= MAX_REQUESTS and size <= MAX_BYTES
    row = [name, f"{requests:.0f}", f"{size / 1_000:.0f}", "met" if is_light else "MISSED"]
    row += [f"{lcp:.0f}", f"{cls:.3f}", f"{inp:.0f}", slowest, "met" if is_met else "MISSED"]
    print(" | ".join(row), file=sys.stderr)
    return row


def _report(rows: list[list[str]], rounds: int, engine: str) -> str:
    head = ("page", "requests", "KB", "", "LCP ms", "CLS", "INP ms", "slowest press", "")
    bars = ["at most", str(MAX_REQUESTS), str(MAX_BYTES // 1_000), ""]
    bars += [str(MAX_LCP), str(MAX_CLS), str(MAX_INP), "", ""]
    return "\n".join(
        [
            "## What a phone's reader feels",
            "",
            f"{reports.describe_machine('django', 'uvicorn', 'playwright')},",
            f"{engine} with a processor {PROCESSOR_SLOWDOWN} times slower, 1.6 Mbit/s, 150 ms to the",
            "server, 360 px wide, an empty cache; HTTP/1.1, no proxy. Medians of",
            f"{rounds} visits, the pages in turn. Requests and KB are those of the visit before anything is",
            "pressed; INP is the slowest of the presses, by touch and keyboard. Server and browser share the",
            "cores with whatever else the machine does, so LCP and INP grow with its load: the first row is",
            "a document with nothing but a button.",
            "",
            reports.markdown_table(head, [*rows, bars]),
        ]
    )


if __name__ == "__main__":
    main()
