"""Measures what grows with a site's rows: `python -m lab.bench.growth [--full] [shops notes followers …]`.

One site in a directory of its own, whose rows become more: after each size the same requests are sent, by one
process, and their processor time, Redis' and the number of SQL statements are written down. The table is
printed and kept in var/bench.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site

SUBJECTS = ["shops", "notes", "followers", "members", "orders", "check-ins"]


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("subjects", nargs="*", choices=SUBJECTS, help="all without a name")
    options.add_argument(
        "--full", action="store_true", help="up to 500,000 shops, 1,000,000 notes and orders"
    )
    chosen = options.parse_args()
    tables = []
    for subject in chosen.subjects or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
            command = [sys.executable, "-m", "lab.bench.growth_run", subject, *["full"] * chosen.full]
            done = subprocess.run(
                command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
            )
        tables.append(done.stdout)
        print(done.stdout, flush=True)
    reports.save_report("growth", "\n".join([reports.describe_machine("Django", "redis"), "", *tables]))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main()
