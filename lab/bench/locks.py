"""Measures what a lock costs, against redis-py's Lock and pottery's Redlock: `python -m lab.bench.locks`.

Uncontended: lock and unlock in one process. Contended: processes take turns, each holding it for a moment.
A hand-over lasts from one's release to the next one's acquisition, by the machine's clock. All processes
begin together once all have started, so that their start is not measured.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from multiprocessing.synchronize import Barrier
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

# pottery connects to this at import.
os.environ["REDIS_URL"] = settings.REDIS_URL

import redis  # noqa: E402
from pottery import Redlock  # noqa: E402
from redis.lock import Lock as TheirLock  # noqa: E402

from apps.demo import embedded_redis  # noqa: E402
from apps.redis_kit import client, locks  # noqa: E402
from lab.bench import reports  # noqa: E402

LOCK_PAIRS, PROCESSES, ROUNDS = 2_000, 50, 20
#: Commands that clients send for a lock; commands inside scripts have other names in the statistics.
COUNTED_COMMANDS = {"evalsha", "eval", "subscribe", "unsubscribe", "set"}
Make = Callable[[], AbstractContextManager[object]]


def main() -> None:
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        report = measure()
    finally:
        client.close_all()
        server.stop()
    print(report)
    reports.save_report("locks", report)


def makers() -> dict[str, Make]:
    """Return a factory for each kind of lock; the first is what the others are compared with."""
    plain = client.get()
    bytes_wanted = redis.Redis.from_url(settings.REDIS_URL)
    return {
        "redis-py Lock": lambda: TheirLock(plain, "theirs", timeout=60),
        "pottery Redlock, one server": lambda: Redlock(
            key="pottery", masters={bytes_wanted}, auto_release_time=60
        ),
        "plain": lambda: locks.plain("plain", lease=60, wait=120),
        "lock": lambda: locks.lock("lock", lease=60, wait=120),
        "lock with the watchdog": lambda: locks.lock("watched", wait=120),
        "fair": lambda: locks.fair("fair", lease=60, wait=120),
        "write": lambda: locks.write("write", lease=60, wait=120),
    }


def measure() -> str:
    made = makers()
    alone = {name: _uncontended_rate(make) for name, make in made.items()}
    # pottery's waiters are left out: they ask again at random, for seconds.
    passed = {name: _hand_over_times(make) for name, make in made.items() if not name.startswith("pottery")}
    first = next(iter(alone.values()))
    rows = [(name, f"{rate:,.0f}", f"{rate / first:.2f}") for name, rate in alone.items()]
    hand_overs = [(name, *_figures(gaps)) for name, gaps in passed.items()]
    return (
        f"## Locks\n\n{reports.describe_machine('redis', 'pottery')}, server {_server()}, "
        f"through a unix socket.\n\n"
        f"Lock and unlock, {LOCK_PAIRS:,} times, nobody else there:\n\n"
        f"{reports.markdown_table(('lock', 'pairs/s', 'against redis-py'), rows)}\n\n"
        f"Passed on by {PROCESSES} processes, each {ROUNDS} times once all are there: from leaving to the "
        f"next one's\ncoming in, and how often Redis was asked for each:\n\n"
        f"{reports.markdown_table(('lock', 'p50 ms', 'p99 ms', 'calls each'), hand_overs)}\n"
    )


def _uncontended_rate(make: Make) -> float:
    """Return pairs of lock and unlock a second."""
    for _ in range(50):
        with make():
            pass
    began = time.perf_counter()
    for _ in range(LOCK_PAIRS):
        with make():
            pass
    return LOCK_PAIRS / (time.perf_counter() - began)


def _hand_over_times(make: Make) -> tuple[list[float], float]:
    """Return the sorted seconds of all hand-overs, and the Redis calls for each."""
    with tempfile.TemporaryDirectory() as directory:
        before = _count_calls()
        gate = multiprocessing.get_context("fork").Barrier(PROCESSES)
        children = [_start(make, Path(directory) / f"{number}", gate) for number in range(PROCESSES)]
        for child in children:
            os.waitpid(child, 0)
        calls = (_count_calls() - before) / (PROCESSES * ROUNDS)
        lines = [line for diary in Path(directory).iterdir() for line in diary.read_text().splitlines()]
    visits = sorted(tuple(map(float, line.split())) for line in lines)
    assert len(visits) == PROCESSES * ROUNDS, "a process failed"
    gaps = [came - left for (_, left), (came, _) in zip(visits, visits[1:], strict=False)]
    return sorted(gaps), calls


def _start(make: Make, diary: Path, gate: Barrier) -> int:
    child = os.fork()
    if child:
        return child
    client.get().ping()
    gate.wait(60)
    lines = []
    for _ in range(ROUNDS):
        with make():
            came = time.monotonic()
            time.sleep(0.001)
            left = time.monotonic()
        lines.append(f"{came} {left}\n")
    diary.write_text("".join(lines))
    os._exit(0)


def _figures(passed: tuple[list[float], float]) -> tuple[str, ...]:
    gaps, calls = passed
    shares = [gaps[round(share * (len(gaps) - 1))] * 1_000 for share in (0.5, 0.99)]
    return (*(f"{share:.1f}" for share in shares), f"{calls:.1f}")


def _count_calls() -> int:
    """Count the lock commands that clients have sent so far, without those inside scripts."""
    stats = client.get().info("commandstats")
    return sum(
        int(found["calls"])
        for name, found in stats.items()
        if name.removeprefix("cmdstat_") in COUNTED_COMMANDS
    )


def _server() -> str:
    return str(client.get().info("server")["redis_version"])


if __name__ == "__main__":
    main()
