"""A run in browser mode: everybody opens the page in the minute before, and presses in the first second."""

import math
import time
from collections.abc import Iterable
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace

from lab.load import ceiling, crowd_processes, load_run
from lab.load.browsers import nginx, verdict, visit_processes
from lab.load.browsers.file_limit import raise_file_limit
from lab.load.browsers.other_pages import OtherPages
from lab.load.browsers.verdict import OTHER_PAGES
from lab.load.browsers.visit import ORDER, PAGE, PERSONAL, PRESS, Visits
from lab.load.browsers.visit_processes import Progress, VisitProcesses
from lab.load.crowd_processes import CrowdProcesses
from lab.load.load_run import LoadRun, OnReading, PrintLine
from lab.load.options import Options, Refusal
from lab.load.result import Part, Reading, Result
from tests import sites
from tests.books import Books
from tests.crowd import site_setup
from tests.crowd.site_setup import Sales
from tests.crowd.tally import Tally

#: Connections of a person: the page's and the stream's. Share of a process's files that they may have.
CONNECTIONS, FILES_SHARE = 2, 0.9
#: Streams that a web process holds at most (apps.coupons.gateway.streaming), and the share that evens out.
STREAMS_A_PROCESS, STREAMS_SHARE = 5_000, 0.8
#: Shops of the private site's city.
SHOPS = 50
#: Seconds between the last page and the sale, and after the last answer, for the streams' last news.
QUIET_SECONDS, LAST_NEWS_SECONDS = 2.0, 1.5
#: Seconds after which nobody waits any more.
MAX_RUSH_SECONDS = 60.0


def run_load(options: Options, *, say: PrintLine, watch: OnReading) -> Result:
    """Do the whole run; the first Ctrl-C ends it early, and the verdict covers what was done."""
    files = raise_file_limit()
    options = fit(options, files)
    say(describe(options, files))
    top = ceiling.measure(processes=options.processes, connections=options.concurrency)
    with load_run.site_under_load(options) as target, ExitStack() as stack:
        say(f"Making {options.users:,} people, and {options.stock:,} units …")
        if not options.url:
            target.manage("seed_demo", "--shops", str(SHOPS), "--verbosity", "0")
        began = time.monotonic()
        tokens = site_setup.create_people(target, options.people + 1)
        stack.enter_context(nginx.run_in_front(target, options, files) if options.nginx else nullcontext())
        browsers = stack.enter_context(visit_processes.start_processes(options.processes))
        robots = stack.enter_context(crowd_processes.start_processes(1)) if options.bots else None
        head_start = load_run.HEAD_START_SECONDS + time.monotonic() - began
        made = _create_sale(target, options, begins_in=options.opening + QUIET_SECONDS + head_start)
        ran = BrowserRun(options, target, tokens, made, watch)
        ran.rush(browsers, robots)
        say("Waiting for the last row …")
        result = ran.judged(top)
    result.verdict.broken += verdict.violations(options, result, ran.streams_held)
    return replace(result, notes=[*ran.notes(), ("machine", describe(options, files))])


def fit(options: Options, files: int) -> Options:
    """Return the options with as many processes as the people's connections need."""
    share = math.ceil(CONNECTIONS * options.users / (files * FILES_SHARE))
    streams = math.ceil(options.users / (STREAMS_A_PROCESS * STREAMS_SHARE))
    web_workers = max(options.web_workers, share, streams)
    return replace(options, web_workers=web_workers, processes=max(options.processes, share))


def describe(options: Options, files: int) -> str:
    """Say what the limit of open files means for the run."""
    where = " behind nginx" if options.nginx else ""
    return (
        f"{options.users:,} browsers with {CONNECTIONS} connections each{where}; a process may open "
        f"{files:,} files: {options.web_workers} web processes, {options.processes} of browsers"
    )


class BrowserRun(LoadRun):
    """One run in browser mode on a running site."""

    #: Streams that stood when the sale began.
    streams_held = 0
    _last = Progress()
    _last_look = 0.0

    def rush(self, browsers: VisitProcesses, robots: CrowdProcesses | None) -> None:
        """Let everybody open the page, and press when the sale begins, with bots beside them."""
        begins = self.sales.begins_at
        other = OtherPages(self.target.base_url, self.tokens[-1])
        browsers.go(self._visits())
        self._began = self._last_look = time.perf_counter()
        with suppress(KeyboardInterrupt):
            self._look_until(begins, "opening", browsers, robots)
            self.streams_held = self._last.streams
            if robots:
                robots.go(self._robots())
            other.start()
            self._look_until(begins + MAX_RUSH_SECONDS, "rush", browsers, robots)
        rushed = time.time() - begins
        time.sleep(LAST_NEWS_SECONDS)
        browsers.collect()
        self._last = browsers.now
        if browsers.failed:
            raise Refusal("a process of browsers died: see above")
        other.stop()
        self._settle(robots)
        self._write_parts(browsers, other, rushed)

    def notes(self) -> list[tuple[str, str]]:
        """Return what a browser run says beside the usual figures."""
        last, users = self._last, self.options.users
        return [
            (
                "streams",
                f"{self.streams_held:,} of {users:,} held; {last.sold_out:,} heard that nothing is left",
            ),
            ("pressed again", f"{last.pressed_again:,} times, told to wait or without an answer"),
        ]

    def _visits(self) -> Visits:
        opening, begins = self.options.opening, self.sales.begins_at
        people, opens = self.tokens[: self.options.users], begins - opening - QUIET_SECONDS
        return Visits(self.target.base_url, self.sales.voucher_ids[0], people, 0, opens, opening, begins)

    def _look_until(
        self, ends: float, phase: str, browsers: VisitProcesses, robots: CrowdProcesses | None
    ) -> None:
        """Read how things stand until that moment, or until everybody has an answer."""
        while time.time() < ends and not self._last.done:
            time.sleep(max(0.0, min(load_run.POLL_SECONDS, ends - time.time())))
            self._read(phase, browsers, robots)

    def _read(self, phase: str, browsers: VisitProcesses, robots: CrowdProcesses | None) -> None:
        news, now = browsers.collect(), time.perf_counter()
        self._last = browsers.now
        if robots:
            self.bots.tally += robots.collect()
        sale = self.sales.voucher_ids
        seconds, self._last_look = now - self._last_look, now
        reading = Reading(
            seconds=now - self._began,
            phase=phase,
            tally=_sum(browsers.tallies.values()),
            news=news,
            rate=news.answers / seconds,
            in_flight=self._last.in_flight,
            stock=self.books.stock(*sale),
            rows=self.books.rows(*sale),
            waiting=self.books.queued(*sale),
            bots=self.bots.tally.answers,
        )
        self.readings.append(reading)
        self._watch(reading)

    def _write_parts(self, browsers: VisitProcesses, other: OtherPages, rushed: float) -> None:
        opening, tallies = self.options.opening, browsers.tallies
        lengths = {PAGE: opening, PERSONAL: opening, PRESS: rushed, ORDER: rushed}
        self.parts += [Part(step, seconds, tallies[step]) for step, seconds in lengths.items()]
        self.parts.append(Part(OTHER_PAGES, rushed + LAST_NEWS_SECONDS, other.tally))
        self.cpu += self._last.cpu


def _create_sale(target: sites.Site, options: Options, *, begins_in: float) -> Sales:
    """Create the sale in a shop that lists show: it has a page."""
    books = Books(database_url=target.environment["DATABASE_URL"], redis_url="")
    shop = int(books.select("SELECT max(id) FROM shops_shop WHERE is_listed")[0][0])
    return site_setup.create_sales(
        target, 1, stock=options.stock, begins_in=begins_in, lasts=3_600, shop=shop
    )


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total += tally
    return total
