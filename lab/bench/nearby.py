"""Measures how fast nearby shops are found among a million: `python -m lab.bench.nearby [--shops N]`.

Seeds a city in a directory of its own and calls the server's code there (Redis, SQL and Python together).
Prints the tables and keeps them in var/bench.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--shops", type=int, default=1_000_000)
    options.add_argument("--directory", help="where the city is kept for the next run (default: nowhere)")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="savor-") as passing:
        report = measure(chosen.shops, chosen.directory or passing)
    print(report)
    reports.save_report("nearby", report)


def measure(count: int, directory: str) -> str:
    """Run lab.bench.nearby_run with settings that point into the directory; return its report."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {"VAR_DIR": directory, "DEMO": "1", "SECURE": "0"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "lab.bench.nearby_run", str(count)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    main()
