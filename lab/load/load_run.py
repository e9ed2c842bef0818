"""One run of the load lab: sets up people and sales, runs each phase, waits for the last row, judges."""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.load import background_load, ceiling, crowd_processes, plan
from lab.load.background_load import BackgroundLoad
from lab.load.crowd_processes import CrowdProcesses
from lab.load.options import Options, Refusal
from lab.load.plan import Phase
from lab.load.result import Part, Reading, Result
from tests import sites
from tests.books import Books
from tests.crowd import site_setup
from tests.crowd.buyers import Crowd
from tests.crowd.site_setup import Sales, Verdict
from tests.crowd.tally import Tally

#: Seconds to wait for the consumers after the last answer.
DRAIN_SECONDS = 120.0
#: Seconds between two updates of the screen and readings of SQL and Redis.
POLL_SECONDS = 0.5
#: Seconds between making the sales and the first who come, beside what the command takes.
HEAD_START_SECONDS = 3.0
#: Seconds that the last answers of a phase take at most, so that the next begins in time.
STOP_GRACE_SECONDS = 0.6
#: Longer than any run: the lab ends the bots.
ENDLESS_SECONDS = 86_400.0

OnReading = Callable[[Reading], object]
PrintLine = Callable[[str], object]


@contextmanager
def site_under_load(options: Options) -> Iterator[sites.Site]:
    """Yield the site under load: a running demo, or a private one that is deleted afterwards."""
    if options.url:
        running = sites.Site(Path(options.environment()["VAR_DIR"]))
        running.environment |= options.environment()
        running.base_url = options.url.rstrip("/")
        if not running.answers():
            raise Refusal(f"{options.url} doesn't answer: start it with 'make demo', or leave URL out")
        yield running
        return
    with tempfile.TemporaryDirectory(prefix="savor-load-") as directory:
        numbers = {"WEB_WORKERS": str(options.web_workers), "CONSUMERS": str(options.consumers)}
        numbers["TRUSTED_PROXIES"] = str(int(options.nginx))
        database = {"DATABASE_URL": options.database} if options.database else {}
        private = sites.Site(Path(directory))
        private.environment |= numbers | database
        with private:
            private.start("web", "consumer")
            yield private


def run_load(options: Options, *, say: PrintLine, watch: OnReading) -> Result:
    """Do the whole run; the first Ctrl-C ends the load early, and the verdict covers what was done."""
    say("Measuring the generator alone …")
    top = ceiling.measure(processes=options.processes, connections=options.concurrency)
    say("Starting the site …" if not options.url else f"Driving {options.url} …")
    with site_under_load(options) as target, ExitStack() as stack:
        say(f"Making {options.users:,} people, and {options.sales} × {options.stock:,} units …")
        began = time.monotonic()
        tokens = site_setup.create_people(target, options.people)
        # Another command takes about as long on this machine, however busy it is.
        head_start = HEAD_START_SECONDS + time.monotonic() - began
        phases = plan.phases(options.duration, options.profile) if options.duration else [plan.ONCE]
        ready = stack.enter_context(crowd_processes.start_many(options.processes, len(phases)))
        robots = stack.enter_context(crowd_processes.start_processes(1)) if options.bots else None
        # The crews stand ready: from now on the clock of the sales runs.
        early = _seconds_before(phases) + head_start if options.duration else 0.0
        lasts = 3_600 + (options.duration or 0)
        made = site_setup.create_sales(
            target, options.sales, stock=options.stock, begins_in=early, lasts=lasts
        )
        ran = LoadRun(options, target, tokens, made, watch)
        ran.crush = stack.enter_context(background_load.prepare(options, target, tokens, made))
        ran.drive(phases, ready, robots)
        say("Waiting for the last row …")
        return ran.judged(top)


def _seconds_before(phases: Sequence[Phase]) -> float:
    """Seconds of the phases before the one that opens the sale."""
    opening = next((number for number, phase in enumerate(phases) if phase.opens), 0)
    return sum(phase.seconds for phase in phases[:opening])


class LoadRun:
    """One load on a running site."""

    def __init__(
        self, options: Options, target: sites.Site, tokens: Sequence[str], made: Sales, watch: OnReading
    ) -> None:
        self.options, self.target, self.tokens, self.sales, self._watch = options, target, tokens, made, watch
        self.books: Any = self._open_books()
        self.readings: list[Reading] = []
        self.parts: list[Part] = []
        self.bots = Part("bots", 0.0, Tally())
        self.crush = BackgroundLoad()
        self.cpu = 0.0
        self._began = time.perf_counter()

    def _open_books(self) -> Any:
        where = self.target.environment
        redis_url = where["REDIS_URL"] or self.target.redis_url
        return Books(database_url=where["DATABASE_URL"], redis_url=redis_url)

    def drive(
        self, phases: Sequence[Phase], ready: Sequence[CrowdProcesses], robots: CrowdProcesses | None
    ) -> None:
        """Run phase after phase, with bots beside them from the opening on."""
        if phases[0].seconds:
            self._wait(self.sales.begins_at - _seconds_before(phases) - STOP_GRACE_SECONDS)
        for phase, busy in zip(phases, ready, strict=True):
            if phase.opens:
                self._wait(self.sales.begins_at)
                if robots:
                    robots.go(self._robots())
                self.crush.go(sum(phase.seconds for phase in phases) - _seconds_before(phases))
            self._press(phase, busy, robots)
        self._settle(robots)

    def judged(self, top: float) -> Result:
        """Return the result, once no order waits in the sales' streams."""
        began = time.perf_counter()
        while self.books.waiting(*self.sales.voucher_ids) and time.perf_counter() - began < DRAIN_SECONDS:
            time.sleep(0.02)
        drained, tally = time.perf_counter() - began, Tally()
        for part in (*self.parts, self.bots):
            tally += part.tally
        verdict = site_setup.check_promises(
            self.target,
            self.books,
            voucher_ids=self.sales.voucher_ids,
            stock=self.options.stock,
            tally=tally,
            buyers=self.books.load_people(self.options.people),
            more=self.crush.promised,
        )
        return self._result(tally, verdict, drained=drained, top=top)

    def _result(self, tally: Tally, verdict: Verdict, *, drained: float, top: float) -> Result:
        people = sum(part.seconds for part in self.parts)
        return Result(
            tally,
            people,
            drained,
            self.cpu / people,
            top,
            verdict,
            self.parts,
            self.bots,
            self.crush.as_dict(),
            self.readings,
            thresholds=list(self.options.thresholds),
        )

    def _crowd(self, share: float, duration: float | None) -> Crowd:
        first, *others = self.sales.voucher_ids
        rate = self.options.rate * share
        # Of the open model connections are a supply, which a slow site uses up.
        connections = self.options.concurrency if rate else max(1, round(self.options.concurrency * share))
        return Crowd(
            self.target.base_url,
            first,
            self.tokens[: self.options.users],
            connections=connections,
            duration=duration,
            others=others,
            rate=rate,
        )

    def _robots(self) -> Crowd:
        """Return the crowd of bots: one connection each, and they never wait."""
        people, number = replace(self._crowd(1.0, ENDLESS_SECONDS), rate=0.0), self.options.users
        tokens = self.tokens[number : number + self.options.bots]
        return replace(people, tokens=tokens, first=number, connections=len(tokens), prefix="bot", bots=True)

    def _press(self, phase: Phase, busy: CrowdProcesses, robots: CrowdProcesses | None) -> None:
        began = last = time.perf_counter()
        busy.go(self._crowd(phase.share, phase.seconds or None))
        with contextlib.suppress(KeyboardInterrupt):
            while not busy.done:
                time.sleep(POLL_SECONDS)
                now = time.perf_counter()
                self._look(phase, busy, robots, now - last)
                last = now
        busy.stop()
        self._collect_rest(busy)
        if busy.failed:
            raise Refusal("a process of the load generator died: see above")
        seconds = busy.seconds or time.perf_counter() - began
        self.parts.append(Part(phase.name, seconds, busy.tally))
        self.cpu += busy.cpu

    def _look(
        self, phase: Phase, busy: CrowdProcesses, robots: CrowdProcesses | None, seconds: float
    ) -> None:
        news, crowd = busy.collect(), self.sales.voucher_ids
        if robots:
            self.bots.tally += robots.collect()
        reading = Reading(
            seconds=time.perf_counter() - self._began,
            phase=phase.name,
            tally=busy.tally,
            news=news,
            rate=news.answers / seconds,
            in_flight=busy.in_flight,
            stock=self.books.stock(*crowd),
            rows=self.books.rows(*crowd),
            waiting=self.books.queued(*crowd),
            bots=self.bots.tally.answers,
        )
        self.readings.append(reading)
        self._watch(reading)

    def _settle(self, robots: CrowdProcesses | None) -> None:
        self.crush.settle()
        if robots:
            robots.stop()
            self._collect_rest(robots)
            self.bots = Part("bots", robots.seconds, robots.tally)
            self.cpu += robots.cpu

    def _collect_rest(self, busy: CrowdProcesses) -> None:
        ends = time.monotonic() + 15
        while not busy.done and time.monotonic() < ends:
            time.sleep(0.02)
            busy.collect()
        busy.collect()

    def _wait(self, until: float) -> None:
        time.sleep(max(0.0, until - time.time()))
        if not self.readings:
            self._began = time.perf_counter()
