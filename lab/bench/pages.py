"""Measures the processor time of personal pages in process: `python -m lab.bench.pages [--rounds R]`.

One process runs the site, another the same addresses by the ORM alone (lab.bench.site.orm_pages). They take
turns, so that the machine's load affects both. No server and no generator is inside the figures.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from lab.bench import reports
from lab.bench.site.request_cases import RequestSpec
from tests.crowd import site_setup
from tests.sites import ROOT, Site

ORM_SETTINGS = "lab.bench.site.orm_settings"
#: Requests of a round, whose mean is one sample; each writes for another person.
ROUND_REQUESTS = 8
#: Case -> the most processor milliseconds that it may cost.
BARS = {
    "home": 5.0,
    "home, logged in": 5.0,
    "note": 5.0,
    "note, logged in": 5.0,
    "shops near me": 4.0,
    "feed": 6.0,
    "JSON: hot notes": 2.0,
    "JSON: like": 2.5,
    "JSON: check in": 4.0,
    "JSON: log in": 4.0,
}
#: The most that a page may cost of the same page by the ORM.
ORM_BAR = 1.0


class PageProcess:
    """A process that runs requests in itself and returns what they cost (lab.bench.pages_process)."""

    def __init__(self, site: Site, people: list[str], log_ins: list[int]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.bench.pages_process"],
            cwd=ROOT,
            env=site.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.cases: dict[str, list[RequestSpec]] = {
            name: [RequestSpec(**one) for one in requests]
            for name, requests in self._exchange({"people": people, "log_ins": log_ins}).items()
        }
        self._sent = dict.fromkeys(self.cases, 0)

    def run(self, name: str, *, count: bool = False) -> Any:
        """Return the mean processor ms of the next requests of a case, or (queries, trips) of one of them."""
        requests, many = self.cases[name], 1 if count else ROUND_REQUESTS
        chosen = [requests[(self._sent[name] + place) % len(requests)] for place in range(many)]
        self._sent[name] += many
        return self._exchange({"count": count, "requests": [vars(one) for one in chosen]})

    def warm_up(self, name: str) -> None:
        """Send a case's reads all once, as caches are warm on a site that people visit; a round of writes."""
        reads = self.cases[name][0].method == "GET"
        for _ in range(len(self.cases[name]) // ROUND_REQUESTS if reads else 1):
            self.run(name)

    def stop(self) -> None:
        """End the process."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(30)

    def _exchange(self, told: object) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--shops", type=int, default=2_000, help="of the city (default 2000)")
    options.add_argument("--rounds", type=int, default=25, help="of each case (default 25)")
    chosen = options.parse_args()
    # Each log-in comes from a network of its own, since limits count by it: by the proxy's word.
    with (
        tempfile.TemporaryDirectory(prefix="savor-bench-") as name,
        Site(Path(name), TRUSTED_PROXIES="1") as site,
    ):
        site.manage("seed_demo", "--shops", str(chosen.shops), "--verbosity", "0")
        report = measure(site, chosen.rounds)
    print(report)
    reports.save_report("pages", report)


def measure(site: Site, rounds: int) -> str:
    """Return the report in Markdown."""
    beside = Site(site.directory, TRUSTED_PROXIES="1", DJANGO_SETTINGS_MODULE=ORM_SETTINGS)
    people = site_setup.create_people(site, 2 * (rounds + 2) * ROUND_REQUESTS)
    numbers = list(range(len(people)))
    ours, orm = (
        PageProcess(one, people[place::2], numbers[place::2]) for place, one in enumerate((site, beside))
    )
    try:
        rows = [_row(name, ours, orm, rounds) for name in ours.cases]
    finally:
        ours.stop()
        orm.stop()
    return _report(rows, rounds)


def _row(name: str, ours: PageProcess, orm: PageProcess, rounds: int) -> list[str]:
    for process in (ours, orm):
        process.warm_up(name)
    queries, trips = ours.run(name, count=True)
    orm_queries, orm_trips = orm.run(name, count=True)
    spent = [(ours.run(name), orm.run(name)) for _ in range(rounds)]
    mine, plain = (median(times) for times in zip(*spent, strict=True))
    kept = "met" if mine <= BARS[name] and mine <= ORM_BAR * plain else "MISSED"
    row = [name, f"{mine:.2f}", str(queries), str(trips), f"{plain:.2f}", str(orm_queries), str(orm_trips)]
    row += [f"{mine / plain:.2f}", f"{BARS[name]:g} ms", kept]
    print(" | ".join(row), file=sys.stderr)
    return row


def _report(rows: list[list[str]], rounds: int) -> str:
    columns = ("processor ms", "queries", "trips")
    head = ("request", *columns, *(f"ORM: {name}" for name in columns), "against it", "at most", "")
    return "\n".join(
        [
            "## Processor time of a page",
            "",
            f"{reports.describe_machine('Django', 'redis')}, SQLite. In process, without a server:",
            f"from the WSGI environment to the last byte and the counted view. Medians of {rounds} rounds of",
            f"{ROUND_REQUESTS} requests, in turn with the same page by the ORM alone, against which each may",
            f"cost at most {ORM_BAR:g} x. Trips are round trips to Redis, one of them behind a counted page.",
            "",
            reports.markdown_table(head, rows),
        ]
    )


if __name__ == "__main__":
    main()
