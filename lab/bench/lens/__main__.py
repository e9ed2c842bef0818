"""Measures what the lens costs others and those who use it: `python -m lab.bench.lens [--rounds R]`.

One process answers the same requests by Django with and without the lens's middleware, with the lens of
somebody else on, and with its own; they take turns, so that the machine's load affects all. No server and no
generator is inside the figures, which are processor time.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lab.bench import reports
from tests.sites import ROOT, Site

#: The most microseconds that the lens may take of a request while it is off.
OFF_BAR_US = 5.0


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--rounds", type=int, default=60, help="of each request and way (default 60)")
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as name, Site(Path(name)) as site:
        site.manage("seed_demo", "--shops", "200", "--verbosity", "0")
        measured = subprocess.run(
            [sys.executable, "-m", "lab.bench.lens.lens_process", str(rounds)],
            cwd=ROOT,
            env=site.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    report = _report(json.loads(measured.stdout), rounds)
    print(report)
    reports.save_report("lens", report)


def _report(measured: dict[str, Any], rounds: int) -> str:
    ways = ("without", "off", "others", "own")
    rows = [
        [
            path,
            *(f"{times[way]:.3f}" for way in ways),
            *(f"{times[f'{way} against it']:.2f}" for way in ways[1:]),
        ]
        for path, times in measured["requests"].items()
    ]
    head = ("request", "without, ms", "off", "somebody else's", "own", "off against it", "else's", "own")
    spent = measured["middleware_us"]
    return "\n".join(
        [
            "## The lens",
            "",
            f"{reports.describe_machine('Django', 'redis')}, SQLite. Processor time of a request",
            "in process: without the lens's middleware; with it and the lens off; while somebody else's",
            "request is recorded all the time, which has this process read its commands back; and with the",
            f"lens on, panel and keeping included. Medians of {rounds} rounds and of their ratios, which",
            "differ by some percent from one run to the next.",
            "",
            reports.markdown_table(head, rows),
            "",
            f"The middleware alone, with the lens off: {spent:.2f} us of a request, at most {OFF_BAR_US:g}:",
            "met." if spent <= OFF_BAR_US else "MISSED.",
        ]
    )


if __name__ == "__main__":
    main()
