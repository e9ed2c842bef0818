"""Spreads visits over processes, each with an event loop; their counts come back through pipes."""

import asyncio
import multiprocessing
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import uvloop

from lab.load.browsers.file_limit import raise_file_limit
from lab.load.browsers.visit import STEPS, Browser, Counts, Visits
from tests.crowd.tally import Tally

REPORT_SECONDS = 0.5


@dataclass
class Progress:
    """A process's report: answers since the last one, and how things stand."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    in_flight: int = 0
    pressed_again: int = 0
    #: Streams that are open, and those that have said last that nothing is left.
    streams: int = 0
    sold_out: int = 0
    cpu: float = 0.0
    done: bool = False


class VisitProcesses:
    """Processes that wait for `go`; `collect()` adds their news to `tallies`, `end()` ends them."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.tallies = {step: Tally() for step in STEPS}
        self._running: list[tuple[BaseProcess, Connection]] = []
        self._latest: list[Progress] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_run_process, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self._running.append((process, ours))
            self._latest.append(Progress())
        for _, pipe in self._running:
            pipe.recv()

    def go(self, visits: Visits) -> None:
        """Give each process its people."""
        for (_, pipe), part in zip(self._running, split(visits, len(self._running)), strict=True):
            pipe.send(part)

    def collect(self) -> Tally:
        """Add what was reported since the last call to `tallies`; return the sum of it."""
        news = Tally()
        for number, (_, pipe) in enumerate(self._running):
            with suppress(EOFError):
                while pipe.poll():
                    latest = self._latest[number] = pipe.recv()
                    for step, tally in latest.tallies.items():
                        self.tallies[step] += tally
                        news += tally
        return news

    @property
    def now(self) -> Progress:
        """How things stand in all processes together; done when all are, or have died."""
        latest = self._latest
        return Progress(
            in_flight=sum(one.in_flight for one in latest),
            pressed_again=sum(one.pressed_again for one in latest),
            streams=sum(one.streams for one in latest),
            sold_out=sum(one.sold_out for one in latest),
            cpu=sum(one.cpu for one in latest),
            done=all(
                one.done or not process.is_alive()
                for one, (process, _) in zip(latest, self._running, strict=True)
            ),
        )

    @property
    def failed(self) -> bool:
        """Whether a process ended without reporting that it was done."""
        pairs = zip(self._latest, self._running, strict=True)
        return any(not one.done and not process.is_alive() for one, (process, _) in pairs)

    def end(self) -> None:
        """End the processes."""
        for process, pipe in self._running:
            pipe.close()
            process.join(5)
            process.kill()


@contextmanager
def start_processes(count: int) -> Iterator[VisitProcesses]:
    """Yield processes ready to go; all of them have ended after the block."""
    running = VisitProcesses(count)
    try:
        yield running
    finally:
        running.end()


def split(visits: Visits, count: int) -> Iterator[Visits]:
    """Yield the visits of each process, with people of its own."""
    total = len(visits.tokens)
    for start, end in pairwise(total * number // count for number in range(count + 1)):
        yield replace(visits, tokens=visits.tokens[start:end], first=visits.first + start)


def _run_process(pipe: Connection) -> None:
    # The parent handles Ctrl-C and then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_file_limit()
    pipe.send("ready")
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), _runner() as runner:
        runner.run(_visit_all(pipe.recv(), pipe))


def _runner() -> asyncio.Runner:
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


async def _visit_all(visits: Visits, pipe: Connection) -> None:
    """Run all visits and report, until the parent closes the pipe."""
    counts = Counts()
    browsers = [Browser(visits, number, counts) for number in range(len(visits.tokens))]
    under_way = asyncio.gather(*(browser.visit() for browser in browsers))
    while not pipe.poll():
        began = time.monotonic()
        pipe.send(_progress(counts, browsers, done=under_way.done()))
        await asyncio.sleep(max(0.0, REPORT_SECONDS - (time.monotonic() - began)))
    under_way.cancel()
    for browser in browsers:
        browser.close()


def _progress(counts: Counts, browsers: Sequence[Browser], *, done: bool) -> Progress:
    news, counts.tallies = counts.tallies, {step: Tally() for step in STEPS}
    streams = [browser.stream for browser in browsers if browser.stream and browser.stream.is_open]
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Progress(
        news,
        counts.in_flight,
        counts.pressed_again,
        len(streams),
        sum(stream.is_sold_out for stream in streams),
        used.ru_utime + used.ru_stime,
        done,
    )
