"""Compares the order consumer with single-row writes and with COPY: `python -m lab.bench.consumer`.

Runs on a private SQLite site, then on a PostgreSQL if one is installed, whose commits wait for the disk
(`--forgetful`: they don't). All ways take turns in one process (lab.bench.consumer_run).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.bench import reports
from tests import postgres
from tests.crowd import site_setup
from tests.sites import ROOT, Site

#: What is promised, as shares of other rows of the same run.
MIN_SHARE_OF_COPY, MIN_TIMES_ONE_BY_ONE, MAX_LATE_MS = 0.6, 25, 1_000
Found = Mapping[str, Any]


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--forgetful", action="store_true", help="PostgreSQL that doesn't wait for the disk")
    durable = not options.parse_args().forgetful
    found = {"SQLite": _measure()}
    if postgres.find_binaries():
        with postgres.run_cluster(durable=durable) as url:
            found[f"PostgreSQL, fsync {'on' if durable else 'off'}"] = _measure(url)
    report = _report(found)
    print(report)
    reports.save_report("consumer", report)


def _measure(database: str = "") -> Found:
    with _site(database) as site:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "lab.bench.consumer_run",
                str(site_setup.create_sale(site, stock=1_000_000)),
            ],
            cwd=ROOT,
            env=site.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@contextmanager
def _site(database: str) -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory:
        site = Site(Path(directory))
        # Redis is emptied between the measurements, and nobody has receipts to hand in.
        site.environment |= {"SALE_HOLD_SECONDS": "0", "SALE_LONG_HOLD_SECONDS": "0"}
        site.environment |= {"DATABASE_URL": database} if database else {}
        with site:
            yield site


def _report(found: Mapping[str, Found]) -> str:
    sizes, ran_on = (
        next(iter(found.values())),
        reports.describe_machine("Django", "psycopg", "redis"),
    )
    told = (
        f"## The order consumer\n\n{ran_on}. One process beside Redis and\ndatabase on the same cores, "
        f"{sizes['batch']:,} orders a transaction. One entry in {sizes['odd']} is odd: it came before, or is "
        "a second\norder of its person and becomes a dead letter; `bulk_create` and `COPY` are spared them, "
        "since one would fail\ntheir batch. The stock's update and the closing job are included; in the "
        "consumer's rows also reading, checking,\nacknowledging, deleting; with units too few in SQL the "
        "last batch is refused and split until the culprits\nare alone."
    )
    return (
        "\n\n".join([told, *(_report_of_database(database, each) for database, each in found.items())]) + "\n"
    )


def _report_of_database(database: str, found: Found) -> str:
    ways, late = found["ways"], found["late"]
    one, copy = (ways.get(name, [0])[0] for name in ("one transaction each", "COPY"))
    rows = [
        (name, f"{rate:,.0f}", f"{own:.0f}", f"{rate / one:.1f}", f"{rate / copy:.2f}" if copy else "")
        for name, (rate, own) in ways.items()
    ]
    lateness = [
        (f"{at['rate']:,.0f}", *(f"{at[name]:,.0f}" for name in ("p50", "p99", "most", "own"))) for at in late
    ]
    head = ("way", "orders/s", "our processor, µs an order", "against one each", "against COPY")
    below = ("claims/s", "p50 ms", "p99 ms", "latest ms", "our processor, µs an order")
    parts = (
        f"### {database}",
        reports.markdown_table(head, rows),
        _bars(ways, late),
        "From acceptance until the row is committed, while another process claims at a steady rate:",
        reports.markdown_table(below, lateness),
    )
    return "\n\n".join(parts)


def _bars(ways: Mapping[str, list[float]], late: list[dict[str, float]]) -> str:
    """Return sentences that compare the measured figures with the promised ones."""
    recorded, one = ways["record"][0], ways["one transaction each"][0]
    said = [f"`record` is {recorded / one:.0f} x one transaction each (promised: {MIN_TIMES_ONE_BY_ONE})"]
    if "COPY" in ways:
        said.append(f"{recorded / ways['COPY'][0]:.2f} x COPY ({MIN_SHARE_OF_COPY})")
    said.append(f"p99 at most {max(at['p99'] for at in late):,.0f} ms ({MAX_LATE_MS:,})")
    return f"{'; '.join(said)}."


if __name__ == "__main__":
    main()
