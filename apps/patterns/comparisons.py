"""Measures the naive way of a pattern beside ours: the same work, in turn, for about a second."""

import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any, cast

import redis
from django.utils import timezone

from apps.monitoring.redis_facts import first_server
from apps.patterns import command_log, keys, scratch
from apps.patterns.pattern import Comparison, Pattern
from apps.redis_kit import client

STORED_FOR = timedelta(days=90)
MAX_ROUNDS, WARM_ROUNDS = 2_000, 3
BUDGET_SECONDS, SMALL_BUDGET_SECONDS = 2.0, 0.5


@dataclass(frozen=True)
class Measured:
    """One way: median and 99th percentile of a round in microseconds, and its round trips."""

    rounds: int
    median_us: int
    p99_us: int
    trips: int


@dataclass(frozen=True)
class Result:
    """Both ways of a pattern, measured in turn, and where that was."""

    pattern: str
    naive: Measured
    ours: Measured
    machine: str
    versions: str
    measured_at: str


def compare(pattern: Pattern, budget_seconds: float = BUDGET_SECONDS) -> Result:
    """Measure both ways in turn, so that what else the machine does harms both alike."""
    compared = pattern.compared
    with scratch.opened() as run:
        compared.prepare(run)
        trips = [_count_trips(way, run) for way in (compared.naive, compared.ours)]
        naive_us, ours_us = _time_in_turn(compared, run, budget_seconds)
    naive, ours = _summarize(naive_us, trips[0]), _summarize(ours_us, trips[1])
    now = timezone.now().strftime("%Y-%m-%d %H:%M UTC")
    return Result(pattern.slug, naive, ours, describe_machine(), describe_versions(), now)


def store(result: Result) -> None:
    """Keep a result for the pattern's page."""
    key = keys.COMPARED(pattern=result.pattern)
    client.get().set(key, json.dumps(asdict(result)), ex=STORED_FOR)


def read_newest(slug: str) -> Result | None:
    """The stored result of a pattern, else the one that comes with the project; None without either."""
    try:
        stored = cast("str | None", client.get().get(keys.COMPARED(pattern=slug)))
    except client.UNAVAILABLE:
        stored = None
    return parse(json.loads(stored)) if stored else read_shipped().get(slug)


@cache
def read_shipped() -> dict[str, Result]:
    """The results that come with the project, by slug."""
    found = json.loads(files("apps.patterns").joinpath("measured.json").read_text())
    return {one["pattern"]: parse(one) for one in found}


def parse(fields: dict[str, Any]) -> Result:
    """A result from what `asdict` made of it."""
    ways = {name: Measured(**fields[name]) for name in ("naive", "ours")}
    return Result(**fields | ways)


def describe_machine() -> str:
    """Cores and processor of this machine."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} × {models[0] if models else platform.machine()}"


def describe_versions() -> str:
    """The server's version and the client's."""
    server = first_server(client.get().info("server"))
    name = "Valkey" if server.get("valkey_version") else "Redis"
    version = server.get("valkey_version") or server["redis_version"]
    return f"{name} {version}, redis-py {redis.__version__}, Python {platform.python_version()}"


def _count_trips(way: Callable[[scratch.Scratch], object], run: scratch.Scratch) -> int:
    for _ in range(WARM_ROUNDS):
        way(run)
    with command_log.recorded({}) as log:
        way(run)
    return log.trip_count


def _time_in_turn(
    compared: Comparison, run: scratch.Scratch, budget_seconds: float
) -> tuple[list[float], list[float]]:
    naive_us: list[float] = []
    ours_us: list[float] = []
    ends = time.perf_counter() + budget_seconds
    while len(naive_us) < MAX_ROUNDS and (time.perf_counter() < ends or not naive_us):
        for way, times in ((compared.naive, naive_us), (compared.ours, ours_us)):
            began = time.perf_counter()
            way(run)
            times.append((time.perf_counter() - began) * 1e6)
    return naive_us, ours_us


def _summarize(times: list[float], trips: int) -> Measured:
    ordered = sorted(times)
    return Measured(len(times), round(median(times)), round(ordered[len(ordered) * 99 // 100]), trips)
