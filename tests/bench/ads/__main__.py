"""Measures ads on a private site: `python -m tests.bench.ads`; FAST=1 ONLY="choosing spending".

Choosing among 100,000 ads beside the book's unions, money under 8 processes, a paced day, exploration.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import performance_page
from tests.sites import ROOT, Site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "tests.bench.ads.measurements"]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    print(done.stdout)
    performance_page.write_section("ads", done.stdout)


if __name__ == "__main__":
    main()
