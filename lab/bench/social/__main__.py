"""Compares the pages of notes with the same pages by the ORM alone: `python -m lab.bench.social`.

Both go through the same middleware and templates, in turn, in one process
(lab.bench.social.orm_note_pages).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "lab.bench.social.measurements"]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    print(done.stdout)
    reports.save_report("social", done.stdout)


if __name__ == "__main__":
    main()
