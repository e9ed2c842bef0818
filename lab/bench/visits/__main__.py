"""Measures what counting visits adds to a page: `python -m lab.bench.visits`.

Serves pages through Django's WSGI handler with and without the middleware, in turn, in one process.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "lab.bench.visits.measurements"]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    print(done.stdout)
    reports.save_report("visits", done.stdout)


if __name__ == "__main__":
    main()
