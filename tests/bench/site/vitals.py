"""Measures what a phone's reader feels: `python -m tests.bench.site.vitals [--shops N] [--rounds N]`.

A demo city behind the Procfile's web server, and Chromium with a processor four times slower on a line of
1.6 Mbit/s with 150 ms to the server (Lighthouse's "slow 4G"). Each visit has an empty cache. LCP, CLS and INP
come from Chromium's PerformanceObserver: https://web.dev/articles/vitals.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from tests import chromium_pages
from tests.bench import performance_page
from tests.browser import site_browsers
from tests.sites import Site

PROCESSOR_SLOWDOWN = 4
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
#: Milliseconds, a share, milliseconds.
MAX_LCP, MAX_CLS, MAX_INP = 1_500, 0.05, 100
#: A page that updates itself is watched so long (milliseconds), for shifts.
WATCHED_MS = 3_000
OBSERVERS = """
window.vitals = { lcp: 0, cls: 0, inp: 0 };
const observe = (type, hear, more) => new PerformanceObserver((list) => list.getEntries().forEach(hear))
  .observe({ type, buffered: true, ...more });
observe("largest-contentful-paint", (entry) => (vitals.lcp = entry.startTime));
observe("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.cls += entry.value; });
const slowest = (entry) => { if (entry.interactionId) vitals.inp = Math.max(vitals.inp, entry.duration); };
observe("event", slowest, { durationThreshold: 16 });
"""


@dataclass(frozen=True)
class Visit:
    """What one visit transferred and took: bytes, milliseconds, a share."""

    requests: int
    size: int
    lcp: float
    cls: float
    inp: float


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
    performance_page.write_section("vitals", report, writer="tests.bench.site.vitals")


def measure(site: Site, rounds: int) -> str:
    """Return the report in Markdown."""
    expect.set_options(timeout=chromium_pages.TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_pages.find_chromium(), args=chromium_pages.CHROMIUM_ARGUMENTS
        )
        opened = site_browsers.SiteBrowsers(browser, site)
        resident = site_browsers.prepare_resident(opened)
        rows = [
            _row(name, [visit(browser, site, path, state) for _ in range(rounds)])
            for name, path, state in _pages(opened, resident)
        ]
        opened.close()
        browser.close()
    return _report(rows, rounds)


def _pages(
    opened: site_browsers.SiteBrowsers, resident: site_browsers.Resident
) -> Iterator[tuple[str, str, StorageState | None]]:
    """Yield each page's name, its path, and the storage state of its reader (None: a visitor)."""
    page = opened()
    yield "home", "/", None
    yield "list", "/shops/", None
    yield "shop", site_browsers.first_link(page, "/shops/", ".shop-card__name a"), None
    yield "note", site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']"), None
    yield "sale", site_browsers.create_sales(opened.site, 0)[0], resident.state
    yield "order", resident.paid, resident.state
    yield "feed", "/feed/", resident.state


def visit(browser: Browser, site: Site, path: str, state: StorageState | None) -> Visit:
    """Open a page on a slow phone with an empty cache, use it a little, and return what it took."""
    context = browser.new_context(
        base_url=site.base_url,
        viewport={"width": 360, "height": 740},
        device_scale_factor=2,
        has_touch=True,
        storage_state=state,
    )
    context.set_default_timeout(chromium_pages.TIMEOUT_MS)
    context.add_init_script(OBSERVERS)
    page = context.new_page()
    sizes = _throttle(page)
    page.goto(path, wait_until="load")
    chromium_pages.wait_for_scripts(page)
    page.wait_for_timeout(WATCHED_MS)
    transferred = dict(sizes)
    _use(page)
    vitals = page.evaluate("window.vitals")
    context.close()
    return Visit(len(transferred), sum(transferred.values()), **vitals)


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


def _use(page: Page) -> None:
    """Press what every page has, and what this one is for."""
    page.locator("[data-theme-toggle]").tap()
    page.locator("[data-theme-toggle]").tap()
    for selector in ("#likes .heart__button", ".follow button", ".heart__button"):
        if page.locator(selector).first.is_visible():
            page.locator(selector).first.tap()
            break
    page.mouse.wheel(0, 1_500)
    page.keyboard.press("Tab")
    # An event is told of when the next frame is drawn.
    page.wait_for_timeout(1_000)


def _row(name: str, visits: list[Visit]) -> list[str]:
    lcp, cls, inp = (median(getattr(one, vital) for one in visits) for vital in ("lcp", "cls", "inp"))
    is_met = lcp <= MAX_LCP and cls <= MAX_CLS and inp <= MAX_INP
    requests, size = (median(getattr(one, count) for one in visits) for count in ("requests", "size"))
    row = [name, f"{requests:.0f}", f"{size / 1_000:.0f}", f"{lcp:.0f}", f"{cls:.3f}", f"{inp:.0f}"]
    print(" | ".join(row), file=sys.stderr)
    return [*row, "met" if is_met else "MISSED"]


def _report(rows: list[list[str]], rounds: int) -> str:
    head = ("page", "requests", "KB", "LCP ms", "CLS", "INP ms", "")
    bars = ["at most", "15 (home)", "120 (home)", str(MAX_LCP), str(MAX_CLS), str(MAX_INP), ""]
    return "\n".join(
        [
            "## What a phone's reader feels",
            "",
            f"{performance_page.describe_machine('playwright', 'uvicorn')}. Chromium with a processor "
            f"{PROCESSOR_SLOWDOWN} times slower,",
            "1.6 Mbit/s, 150 ms to the server, 360 px wide, an empty cache; HTTP/1.1, no proxy. Medians",
            f"of {rounds} visits. Server and browser share the cores with whatever else the machine does, so",
            "LCP and INP grow with its load.",
            "",
            performance_page.markdown_table(head, [*rows, bars]),
        ]
    )


if __name__ == "__main__":
    main()
