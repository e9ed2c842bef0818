"""Measures what the lens costs others and those who use it: `python -m tests.bench.lens [--rounds R]`.

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

from tests.bench import performance_page
from tests.sites import ROOT, Site

#: The most that a request may cost with the lens off, of the same request without the lens's middleware.
OFF_BAR = 1.02


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--rounds", type=int, default=60, help="of each request and way (default 60)")
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as name, Site(Path(name)) as site:
        site.manage("seed_demo", "--shops", "200", "--verbosity", "0")
        measured = subprocess.run(
            [sys.executable, "-m", "tests.bench.lens.lens_process", str(rounds)],
            cwd=ROOT,
            env=site.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    report = _report(json.loads(measured.stdout), rounds)
    print(report)
    performance_page.write_section("lens", report)


def _report(measured: dict[str, dict[str, float]], rounds: int) -> str:
    rows = []
    for path, times in measured.items():
        without, off, others, own = times["without"], times["off"], times["others"], times["own"]
        kept = "met" if off <= OFF_BAR * without else "MISSED"
        rows.append(
            [
                path,
                *(f"{spent:.3f}" for spent in (without, off, others, own)),
                f"{off / without:.3f}",
                f"{OFF_BAR:g}",
                kept,
                f"{others / without:.2f}",
                f"{own / without:.2f}",
            ]
        )
    head = (
        *("request", "without, ms", "off, ms", "somebody else's, ms", "own, ms"),
        *("off against it", "at most", "", "somebody else's", "own"),
    )
    return "\n".join(
        [
            "## The lens",
            "",
            f"{performance_page.describe_machine('Django', 'redis')}, SQLite. Processor time of a request",
            "in process: without the lens's middleware; with it and the lens off; while somebody else's",
            "request is recorded all the time, which has this process read its commands back; and with the",
            f"lens on, panel and keeping included. Medians of {rounds} rounds, in turn.",
            "",
            performance_page.markdown_table(head, rows),
        ]
    )


if __name__ == "__main__":
    main()
