"""Measures how late delayed jobs run, and their cost against Celery's ETA: `python -m lab.bench.delayed`.

Runs a site of its own: first only a mover, then a worker beside it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-") as directory, Site(Path(directory)) as site:
        site.start("mover")
        report = _measure_part(site, "crowd")
        site.start("worker", more="--include lab.bench.delayed_task")
        report += _measure_part(site, "eta")
    print(report)
    reports.save_report("delayed", report)


def _measure_part(site: Site, name: str) -> str:
    command = [sys.executable, "-m", "lab.bench.delayed_run", name]
    done = subprocess.run(
        command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
