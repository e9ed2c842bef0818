"""Measures suggestions over a million names: `python -m lab.bench.suggest [--names N]`, FAST=1 for 20,000.

Fills an index and calls the server's code: look-ups in Redis, the seed's two marks beside them, slips of one
letter, and the memory of a name. Prints the tables; those of more than 20,000 are kept in var/bench.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports

ROOT = Path(__file__).resolve().parents[2]
ALL, FAST = 1_000_000, 20_000


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--names", type=int, default=FAST if os.environ.get("FAST") else ALL)
    count = options.parse_args().names
    with tempfile.TemporaryDirectory(prefix="savor-") as directory:
        report = measure(count, directory)
    print(report)
    if count > FAST:
        reports.save_report("suggest", report)


def measure(count: int, directory: str) -> str:
    """Run lab.bench.suggest_run with settings that point into the directory; return its report."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {"VAR_DIR": directory, "DEMO": "1", "SECURE": "0"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "lab.bench.suggest_run", str(count)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    main()
