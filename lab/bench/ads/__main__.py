"""Measures ads on a private site: `python -m lab.bench.ads`; FAST=1 ONLY="choosing spending".

Choosing among 100,000 ads beside the book's unions, money under 8 processes, a paced day, exploration. Each
writes a section of its own, so that a part may be measured again alone.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site

NAMES = ("choosing", "spending", "paced_day", "exploring")


def main() -> None:
    for name in os.environ.get("ONLY", " ".join(NAMES)).split():
        report = measure(name)
        print(report)
        reports.save_report(f"ads {name}", report)


def measure(name: str) -> str:
    """The report of one measurement, on a site of its own."""
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "lab.bench.ads.measurements", name]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    return done.stdout


if __name__ == "__main__":
    main()
