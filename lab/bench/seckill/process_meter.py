"""Reads a process group's CPU seconds and memory from /proc, undisturbed by other processes."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import redis

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Usage:
    """CPU seconds of each part and of the whole machine, within so many seconds of wall time."""

    seconds: float
    web: float
    redis: float
    consumer: float
    #: What the whole machine was busy with, all the above and the generator included.
    machine: float

    def __sub__(self, before: "Usage") -> "Usage":
        return Usage(
            self.seconds - before.seconds,
            self.web - before.web,
            self.redis - before.redis,
            self.consumer - before.consumer,
            self.machine - before.machine,
        )


@dataclass(frozen=True)
class Meter:
    """Reads the usage of a web server, its Redis nodes and, if there is one, its consumer."""

    web: int
    nodes: tuple[redis.Redis, ...] = ()
    consumer: int = 0

    def read(self) -> Usage:
        """Return the totals so far."""
        nodes = sum(_of_node(node) for node in self.nodes)
        consumer = processor_time(self.consumer) if self.consumer else 0.0
        return Usage(time.perf_counter(), processor_time(self.web), nodes, consumer, _of_machine())


def processor_time(group: int) -> float:
    """Return the CPU seconds (user and system) that the living processes of a process group have used."""
    return sum(int(fields[11]) + int(fields[12]) for fields in _group(group)) / TICKS


def memory(group: int) -> int:
    """Return the resident bytes of a process group; shared memory is counted once for each process."""
    return sum(int(fields[21]) for fields in _group(group)) * PAGE


def _of_node(node: redis.Redis) -> float:
    """Return the CPU seconds of a Redis server, including the children that rewrite its file."""
    cpu = node.info("cpu")
    names = ("used_cpu_user", "used_cpu_sys", "used_cpu_user_children", "used_cpu_sys_children")
    return float(sum(cpu[name] for name in names))


def _of_machine() -> float:
    """Return the machine's CPU seconds without idle and wait time; 0.0 where it can't be read."""
    with suppress(OSError, ValueError):
        user, nice, system, _, _, interrupts, soft = map(
            int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:8]
        )
        return (user + nice + system + interrupts + soft) / TICKS
    return 0.0


def _group(group: int) -> Iterator[list[str]]:
    """Yield the stat fields of each process of the group, from the one after the name on."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                yield fields
