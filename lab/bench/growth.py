"""Measures what grows with a site's rows: `python -m lab.bench.growth [--full] [shops notes followers …]`.

One site in a directory of its own, whose rows become more: after each size the same requests are sent, by one
process, and their processor time, Redis' and the number of SQL statements are written down. The table is
printed and kept in var/bench.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lab.bench import reports
from tests import postgres
from tests.sites import ROOT, Site

SUBJECTS = ["shops", "notes", "followers", "members", "orders", "check-ins"]


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("subjects", nargs="*", choices=SUBJECTS, help="all without a name")
    options.add_argument(
        "--full", action="store_true", help="up to 500,000 shops, 1,000,000 notes and orders"
    )
    options.add_argument(
        "--postgresql", action="store_true", help="on a private PostgreSQL, instead of SQLite"
    )
    chosen = options.parse_args()
    tables = []
    for subject in chosen.subjects or SUBJECTS:
        with _site(is_postgresql=chosen.postgresql) as site:
            command = [sys.executable, "-m", "lab.bench.growth_run", subject, *["full"] * chosen.full]
            done = subprocess.run(
                command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
            )
        tables.append(done.stdout)
        print(done.stdout, flush=True)
    described = reports.describe_machine("Django", "redis")
    name = "growth postgresql" if chosen.postgresql else "growth"
    reports.save_report(name, "\n".join([described, "", *tables]))


@contextlib.contextmanager
def _site(*, is_postgresql: bool) -> Iterator[Site]:
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="savor-bench-"))
        # Workers of its own for one query would be processes whose time is not counted.
        cluster = postgres.run_cluster(durable=True, settings=["max_parallel_workers_per_gather=0"])
        site = Site(Path(directory))
        if is_postgresql:
            site.environment["DATABASE_URL"] = stack.enter_context(cluster)
        yield stack.enter_context(site)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main()
