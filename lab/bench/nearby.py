"""Measures how fast nearby shops are found among a million: `python -m lab.bench.nearby [--shops N]`.

Seeds a city in a directory of its own and calls the server's code there (Redis, SQL and Python together).
Prints the tables and writes them into docs/performance.md.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "performance.md"
SECTION_MARKS = ("<!-- nearby: written by lab.bench.nearby -->", "<!-- /nearby -->")


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--shops", type=int, default=1_000_000)
    options.add_argument("--directory", help="where the city is kept for the next run (default: nowhere)")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="savor-") as passing:
        report = measure(chosen.shops, chosen.directory or passing)
    print(report)
    write_section(report)


def measure(count: int, directory: str) -> str:
    """Run lab.bench.nearby_run with settings that point into the directory; return its report."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {"VAR_DIR": directory, "DEMO": "1", "SECURE": "0"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "lab.bench.nearby_run", str(count)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def write_section(report: str) -> None:
    """Replace this bench's section of the page and leave the others' sections alone."""
    DOCS.parent.mkdir(exist_ok=True)
    text = DOCS.read_text() if DOCS.exists() else "# Performance\n"
    begin, end = SECTION_MARKS
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    DOCS.write_text(f"{before.rstrip()}\n\n{begin}\n{report.strip()}\n{end}\n{after}")


if __name__ == "__main__":
    main()
