"""Measures how fast notes reach followers, and feeds their readers: `python -m lab.bench.feed`.

Runs a real worker over a city of its own, prints the tables and keeps them in var/bench.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from lab.bench import reports


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--followers", type=int, default=100_000)
    with tempfile.TemporaryDirectory(prefix="savor-") as directory:
        report = measure(options.parse_args().followers, directory)
    print(report)
    reports.save_report("feed", report)


def measure(followers: int, directory: str) -> str:
    """Run lab.bench.feed_run with settings that point into the directory; return its report."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {"VAR_DIR": directory, "DEMO": "1", "SECURE": "0", "FEED_PUSH_LIMIT": "1000000"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "lab.bench.feed_run", str(followers)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    main()
