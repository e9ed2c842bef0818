"""Measures the site's pages and API over HTTP: `python -m lab.bench.site [--shops N] [--seconds S]`.

Runs a demo city behind the Procfile's web server, and the same addresses by the ORM alone
(lab.bench.site.orm_pages) behind another server; requests go to one, then to the other. The figures are
the servers' CPU times, which a crowded machine distorts less than rates and percentiles.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.bench import reports
from lab.bench.site import request_driver
from lab.bench.site.request_cases import RequestSpec, code_requests, login_requests
from lab.bench.site.request_driver import DriveResult
from tests.crowd import site_setup
from tests.sites import ROOT, Site

CONNECTIONS = 8
#: People who like and sign in, half of them on each server; log-ins, within the minute's limit for all.
ONE_TIME_ACTORS, LOGIN_COUNT = 8_000, 600
#: Requests of a case whose queries and round trips are counted.
COUNTED_REQUESTS = 4
ORM_SETTINGS = "lab.bench.site.orm_settings"
#: Cases that write: one request per person, each different.
WRITES = ("JSON: like", "JSON: check in")
RequestCases = dict[str, list[RequestSpec]]


@dataclass(frozen=True)
class Server:
    """A started web server, the write requests reserved for it, and each case's (queries, round trips)."""

    site: Site
    cases: RequestCases
    costs: Mapping[str, tuple[int, int]]

    def drive(self, asks: Sequence[RequestSpec], *, seconds: float, again: bool = False) -> DriveResult:
        """Send the requests and return the results; reads are sent before too, to warm the caches."""
        driven = DriveResult()
        for length in (seconds / 4, seconds) if again else (seconds,):
            driven = request_driver.drive(
                self.site.base_url,
                asks,
                seconds=length,
                group=self.site.processes["web"].pid,
                connections=CONNECTIONS,
                again=again,
            )
        assert all(code.startswith("2") for code in driven.tally.codes), driven.tally.codes
        return driven


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--shops", type=int, default=2_000, help="of the city (default 2000; 1000000 works)")
    options.add_argument("--seconds", type=float, default=4.0, help="of each measurement (default 4)")
    chosen = options.parse_args()
    report = measure(chosen.shops, chosen.seconds)
    print(report)
    reports.save_report("site", report)


def measure(shops: int, seconds: float) -> str:
    """Return the report in Markdown."""
    # Each log-in comes from a network of its own, since limits count by it: by the proxy's word.
    with (
        tempfile.TemporaryDirectory(prefix="savor-bench-") as name,
        Site(Path(name), TRUSTED_PROXIES="1") as site,
    ):
        site.manage("seed_demo", "--shops", str(shops), "--verbosity", "0")
        print(f"{shops:,} shops are there.", file=sys.stderr)
        beside = Site(site.directory, TRUSTED_PROXIES="1", DJANGO_SETTINGS_MODULE=ORM_SETTINGS)
        try:
            ours, orm = _servers(site, beside)
            rows = [_row(name, ours, orm, seconds) for name in ours.cases]
            rows += _measure_log_ins(ours, seconds)
        finally:
            beside.stop()
    return _report(shops, seconds, rows)


def _servers(site: Site, beside: Site) -> tuple[Server, Server]:
    """Start ours and the ORM's server; both get the same reads, but each its own people who write."""
    once = site_setup.create_people(site, ONE_TIME_ACTORS)
    made = [_server(each, once[number::2]) for number, each in enumerate((site, beside))]
    return made[0], made[1]


def _server(site: Site, once: Sequence[str]) -> Server:
    found = _run(site, "make", "\n".join(once))
    # The last ones are looked at, before the server has them all.
    few = json.dumps({name: asks[-COUNTED_REQUESTS:] for name, asks in found.items()})
    costs = {name: (queries, trips) for name, (queries, trips) in _run(site, "count", few).items()}
    site.start("web")
    return Server(site, {name: [RequestSpec(**one) for one in asks] for name, asks in found.items()}, costs)


def _run(site: Site, work: str, told: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "lab.bench.site.city_process", work]
    done = subprocess.run(
        command, cwd=ROOT, env=site.environment, input=told, stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _row(name: str, ours: Server, orm: Server, seconds: float) -> list[str]:
    again = name not in WRITES
    both = [each.drive(each.cases[name], seconds=seconds, again=again) for each in (ours, orm)]
    cells = [_cells(driven, each.costs[name]) for driven, each in zip(both, (ours, orm), strict=True)]
    row = [name, *cells[0], *cells[1], f"{both[0].cost / both[1].cost:.2f}"]
    print(" | ".join(row), file=sys.stderr)
    return row


def _cells(driven: DriveResult, costs: tuple[int, int] | None) -> list[str]:
    looked = [str(count) for count in costs] if costs else ["", ""]
    return [
        f"{driven.rate:,.0f}",
        f"{driven.tally.percentile(0.99) * 1_000:.1f}",
        f"{driven.cost:.2f}",
        *looked,
    ]


def _measure_log_ins(server: Server, seconds: float) -> Iterator[list[str]]:
    """Measure code requests and the log-ins with these codes; codes have no row, so no ORM column."""
    sent = server.drive(code_requests(LOGIN_COUNT), seconds=seconds)
    codes = {number: json.loads(body) for number, body in sent.bodies.items()}
    yield ["JSON: ask for a code", *_cells(sent, None), *[""] * 6]
    yield ["JSON: log in", *_cells(server.drive(login_requests(codes), seconds=seconds), None), *[""] * 6]


def _report(shops: int, seconds: float, rows: list[list[str]]) -> str:
    columns = ("requests/s", "p99 ms", "processor ms", "queries", "trips")
    head = ("request", *columns, "ORM: requests/s", *columns[1:], "processor time against it")
    return "\n".join(
        [
            f"## The site over HTTP, {shops:,} shops",
            "",
            f"{reports.describe_machine('uvicorn', 'Django', 'redis')}, SQLite. One web "
            f"process of four threads as in",
            f"the Procfile, {CONNECTIONS} connections, {seconds:g} seconds a case, the generator beside it.",
            "Processor time is what the web process used for a request and for counting its view. On a",
            "crowded machine it grows two or three times, as that of healthz shows. Trips are round trips to",
            "Redis, one of them behind a counted page. The ORM alone pays for log-ins and visits too.",
            "",
            reports.markdown_table(head, rows),
        ]
    )


if __name__ == "__main__":
    main()
