"""Splits a crowd over processes, each with an event loop; their counts come back through pipes."""

import asyncio
import multiprocessing
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from tests.crowd.buyers import Crowd, Load
from tests.crowd.tally import Tally


@dataclass
class ProgressUpdate:
    """A process's report: its counts since the last one, pending requests, CPU seconds so far."""

    tally: Tally
    in_flight: int
    cpu: float
    #: Seconds from the first request to the last answer, once it is done.
    done: float = 0.0


@dataclass
class _CrowdProcess:
    process: BaseProcess
    pipe: Connection
    latest: ProgressUpdate = field(default_factory=lambda: ProgressUpdate(Tally(), 0, 0.0))


class CrowdProcesses:
    """Processes that wait for `go(crowd)`; `collect()` sums their counts, `stop()` ends early."""

    def __init__(self, processes: int) -> None:
        # A fresh interpreter each: a fork would copy whatever threads and locks we have.
        context = multiprocessing.get_context("spawn")
        self.tally = Tally()
        self._crews: list[_CrowdProcess] = []
        for _ in range(processes):
            ours, theirs = context.Pipe()
            process = context.Process(target=_process_loop, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self._crews.append(_CrowdProcess(process, ours))
        for crew in self._crews:
            crew.pipe.recv()

    def go(self, crowd: Crowd) -> None:
        """Start all processes at once."""
        for crew, part in zip(self._crews, _split_crowd(crowd, len(self._crews)), strict=True):
            crew.pipe.send(part)

    def collect(self) -> Tally:
        """Return the counts that the processes have reported since the last call."""
        news = Tally()
        for crew in self._crews:
            with suppress(EOFError):
                while crew.pipe.poll():
                    crew.latest = crew.pipe.recv()
                    news += crew.latest.tally
        self.tally += news
        return news

    @property
    def done(self) -> bool:
        return all(crew.latest.done > 0 or not crew.process.is_alive() for crew in self._crews)

    @property
    def failed(self) -> bool:
        """Whether a process ended without reporting that it was done."""
        return any(not crew.latest.done and not crew.process.is_alive() for crew in self._crews)

    @property
    def in_flight(self) -> int:
        return sum(crew.latest.in_flight for crew in self._crews)

    @property
    def seconds(self) -> float:
        """The seconds that the slowest process took; 0.0 while none is done."""
        return max(crew.latest.done for crew in self._crews)

    @property
    def cpu(self) -> float:
        """The CPU seconds that the processes have used."""
        return sum(crew.latest.cpu for crew in self._crews)

    def stop(self) -> None:
        """Tell the processes to end after their pending requests."""
        for crew in self._crews:
            with suppress(OSError):
                crew.pipe.send("stop")

    def end(self) -> None:
        """End the processes that still run."""
        for crew in self._crews:
            crew.pipe.close()
            crew.process.join(5)
            crew.process.kill()


@contextmanager
def run_crowd(crowd: Crowd, processes: int) -> Iterator[CrowdProcesses]:
    """Run a crowd in processes for the block; all of them have ended afterwards."""
    with start_processes(min(processes, len(crowd.tokens))) as crews:
        crews.go(crowd)
        yield crews


@contextmanager
def start_processes(processes: int) -> Iterator[CrowdProcesses]:
    """Yield processes ready to go; all of them have ended after the block."""
    crews = CrowdProcesses(processes)
    try:
        yield crews
    finally:
        crews.stop()
        crews.end()


@contextmanager
def start_many(processes: int, count: int) -> Iterator[list[CrowdProcesses]]:
    """Yield `count` such groups, one for each phase of a run."""
    with ExitStack() as stack:
        yield [stack.enter_context(start_processes(processes)) for _ in range(count)]


def _split_crowd(crowd: Crowd, processes: int) -> Iterator[Crowd]:
    """Yield a part of the crowd for each process, with people of its own."""
    people, connections = len(crowd.tokens), max(1, crowd.connections // processes)
    for start, end in pairwise(people * number // processes for number in range(processes + 1)):
        some = crowd.tokens[start:end]
        rate = crowd.rate / processes
        yield replace(crowd, tokens=some, first=crowd.first + start, connections=connections, rate=rate)


def _process_loop(pipe: Connection) -> None:
    # The parent handles Ctrl-C and then sends "stop".
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send("ready")
    with suppress(BrokenPipeError, EOFError):
        crowd = pipe.recv()
        if crowd == "stop":
            return
        asyncio.run(_buy(crowd, pipe))
        # Closing a pipe with unread data would lose the data sent before.
        while True:
            pipe.recv()


async def _buy(crowd: Crowd, pipe: Connection) -> None:
    load = Load(crowd)

    def tell() -> None:
        if pipe.poll():
            pipe.recv()
            load.stop()
        news, load.tally = load.tally, Tally()
        pipe.send(ProgressUpdate(news, load.in_flight, _cpu_seconds()))

    began = time.perf_counter()
    await load.run(each=tell)
    pipe.send(ProgressUpdate(load.tally, 0, _cpu_seconds(), done=time.perf_counter() - began))


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
