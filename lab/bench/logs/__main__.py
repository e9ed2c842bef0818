"""Measures cities of addresses and the shipping of logs: `make bench-logs`; FAST=1 is smaller."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site

PARTS = ("addresses", "shipping")


def main() -> None:
    """Measure both in a site of their own; a FAST run is printed only."""
    for part in PARTS:
        with tempfile.TemporaryDirectory(prefix="savor-bench-") as name, Site(Path(name)) as site:
            done = subprocess.run(
                [sys.executable, "-m", f"lab.bench.logs.{part}"],
                cwd=ROOT,
                env=site.environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        print(done.stdout)
        if not os.environ.get("FAST"):
            reports.save_report(f"logs {part}", done.stdout)


if __name__ == "__main__":
    main()
