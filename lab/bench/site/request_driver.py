"""Sends requests over keep-alive connections and measures the server's CPU time."""

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from lab.bench.site.request_cases import RequestSpec
from tests.crowd import http_connection
from tests.crowd.tally import Tally

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class DriveResult:
    """Results of a drive: wall `seconds`, the server's `cpu` seconds; bodies only when requested."""

    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    cpu: float = 0.0
    bodies: dict[int, bytes] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return self.tally.answers / self.seconds

    @property
    def cost(self) -> float:
        """Milliseconds of CPU time per request."""
        return 1_000 * self.cpu / self.tally.answers


def drive(
    base_url: str,
    asks: Sequence[RequestSpec],
    *,
    seconds: float,
    group: int,
    connections: int,
    again: bool = True,
) -> DriveResult:
    """Send for so many seconds, or each request once (`again=False`); `group` is the server's."""
    driven = DriveResult()
    numbers = itertools.cycle(range(len(asks))) if again else iter(range(len(asks)))
    ends = time.monotonic() + seconds
    turns = itertools.takewhile(lambda _: time.monotonic() < ends, numbers)
    host = urlsplit(base_url).netloc
    raw = [one.raw(host) for one in asks]
    began, used = time.perf_counter(), processor_time(group)
    asyncio.run(_crowd(base_url, turns, raw, driven, connections, keep=not again))
    driven.seconds, driven.cpu = time.perf_counter() - began, processor_time(group) - used
    return driven


def processor_time(group: int) -> float:
    """Return the CPU seconds (user and system) that the living processes of a process group have used."""
    return sum(_ticks(path) for path in Path("/proc").glob("[0-9]*/stat") if _group(path) == group) / TICKS


async def _crowd(
    base_url: str,
    turns: Iterator[int],
    raw: Sequence[bytes],
    driven: DriveResult,
    connections: int,
    *,
    keep: bool,
) -> None:
    def note(number: int, reply: http_connection.Reply, seconds: float) -> None:
        driven.tally.add(str(reply.status), seconds)
        if keep:
            driven.bodies[number] = reply.body

    await asyncio.gather(*(_send_loop(base_url, turns, raw, note) for _ in range(connections)))


async def _send_loop(
    base_url: str,
    turns: Iterator[int],
    raw: Sequence[bytes],
    note: Callable[[int, http_connection.Reply, float], None],
) -> None:
    address = urlsplit(base_url)
    line = await http_connection.HttpConnection.open(address.hostname or "", address.port or 80)
    for number in turns:
        began = time.perf_counter()
        reply = await line.ask(raw[number], seconds=30)
        note(number, reply, time.perf_counter() - began)
    line.close()


def _fields(path: Path) -> list[str]:
    """Return the stat fields after the process's name (state, parent, group, …); [] if it has ended."""
    try:
        return path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _group(path: Path) -> int:
    fields = _fields(path)
    return int(fields[2]) if fields else 0


def _ticks(path: Path) -> int:
    fields = _fields(path)
    return int(fields[11]) + int(fields[12]) if fields else 0
