"""Compares the pages of notes with the same pages by the ORM alone: `python -m tests.bench.social`.

Both go through the same middleware and templates, in turn, in one process
(tests.bench.social.orm_note_pages).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import performance_page
from tests.sites import ROOT, Site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "tests.bench.social.measurements"]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    print(done.stdout)
    performance_page.write_section("social", done.stdout)


if __name__ == "__main__":
    main()
