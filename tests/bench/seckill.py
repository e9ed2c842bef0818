"""Requests a second of the sale's endpoint: `python -m tests.bench.seckill [--seconds S]`.

A private site as the Procfile starts it, the load lab's generator, and beside it granian with a WSGI hello
world under the same options. The generator shares the cores with what it measures: compare the ratios.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.bench import page
from tests.load import crews, stage
from tests.load.buyers import Crowd
from tests.load.crews import Crews
from tests.sites import ROOT, Site, free_port, wait_until

PEOPLE = 20_000
CONNECTIONS = (16, 64)


def main() -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DEMO": "1"}
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--seconds", type=float, default=8.0, help="of each measurement (default 8)")
    seconds = options.parse_args().seconds
    report = measure(seconds)
    print(report)
    page.write("seckill", report)


def measure(seconds: float) -> str:
    """The report."""
    ran_on = page.machine("granian", "Django", "redis")
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        site.start("web", "consumer")
        tokens = stage.people(site, PEOPLE)
        # Two sales, so that one stays in stock and one is sold out when its turn comes.
        plenty, empty = stage.sale(site, stock=1_000_000), stage.sale(site, stock=1)
        rows = [line for count in CONNECTIONS for line in _lines(site, tokens, plenty, empty, count, seconds)]
    head = ("case", "connections", "requests/s", "p50 ms", "p99 ms", "against hello world")
    return (
        f"## The sale's endpoint over HTTP\n\n{ran_on}. One web process of four threads and one consumer, "
        f"SQLite; {seconds:g} seconds a case,\nthe generator on the same cores. In stock: each request is "
        "another person's first, until the people are used up,\nthen their repetition.\n\n"
        f"{page.table(head, rows)}\n"
    )


def _lines(
    site: Site, tokens: list[str], plenty: int, empty: int, connections: int, seconds: float
) -> Iterator[tuple[str, ...]]:
    crowd = Crowd(site.base_url, plenty, tokens, connections=connections, duration=seconds)
    with _hello() as url:
        bare = _drive(replace(crowd, base_url=url))
    yield _line("granian, WSGI hello world", connections, bare, bare)
    fresh = replace(crowd, prefix=f"bench{connections}")
    yield _line("in stock", connections, _drive(fresh), bare)
    yield _line("sold out", connections, _drive(replace(fresh, voucher_id=empty)), bare)


def _drive(crowd: Crowd) -> Crews:
    with crews.running(crowd, 1) as busy:
        while not busy.done:
            time.sleep(0.1)
            busy.collect()
        busy.collect()
    return busy


def _line(case: str, connections: int, busy: Crews, bare: Crews) -> tuple[str, ...]:
    rate, most = (each.tally.answers / each.seconds for each in (busy, bare))
    p50, p99 = (busy.tally.percentile(share) * 1000 for share in (0.5, 0.99))
    return (case, str(connections), f"{rate:,.0f}", f"{p50:.1f}", f"{p99:.1f}", f"{rate / most:.2f}")


@contextmanager
def _hello() -> Iterator[str]:
    port = free_port()
    words = [
        "--interface",
        "wsgi",
        "--port",
        str(port),
        "--workers",
        "1",
        "--blocking-threads",
        "4",
        "--no-ws",
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "granian", *words, "--log-level", "error", "tests.bench.hello:application"],
        cwd=ROOT,
    )
    try:
        wait_until(lambda: _listens(port), seconds=20, otherwise="granian does not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    main()
