"""The command line of the measurement of persistence: a table or JSON, and figures for the admin's page."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from apps.demo.embedded_redis import EmbeddedRedisError
from apps.monitoring import persistence
from apps.monitoring.persistence import MODES, Measurement
from apps.redis_kit import client
from lab.bench.persistence import measuring

MAX_SECONDS = 600.0


def main(words: Sequence[str], environ: Mapping[str, str]) -> int:
    """Measure every setting, print the results and keep them for the page; 1 when a server can't run."""
    options = parse_options(words, environ)
    console = Console(width=None if sys.stdout.isatty() else 120, quiet=options.json)
    try:
        rows = [
            measuring.measure(mode, seconds=options.seconds, directory=options.directory)
            for mode in track(measuring.OPTIONS, "measuring", console=console, transient=True)
        ]
    except (EmbeddedRedisError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    console.print(_build_table(rows, options.seconds))
    _save(rows)
    return 0


def parse_options(words: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Return the options; make variables are their defaults. Exits with 2 and a sentence on wrong ones."""
    parser = argparse.ArgumentParser("make bench-persistence", description=__doc__)
    seconds, directory = environ.get("SECONDS") or 5.0, environ.get("DIRECTORY") or None
    parser.add_argument("--seconds", type=float, default=seconds, help="of claims for each setting (5)")
    parser.add_argument("--directory", type=Path, default=directory, help="on the disk to measure (/tmp's)")
    parser.add_argument("--json", action="store_true", default=environ.get("JSON") == "1", help="a JSON list")
    options = parser.parse_args(words)
    if not 0 < options.seconds <= MAX_SECONDS:
        parser.error(f"--seconds takes a number up to {MAX_SECONDS:g}")
    return options


def _save(rows: list[Measurement]) -> None:
    try:
        persistence.save(rows)
    except client.UNAVAILABLE as error:
        print(f"The admin's page does not show this: the site's Redis is away ({error}).", file=sys.stderr)


def _build_table(rows: Sequence[Measurement], seconds: float) -> Table:
    table = Table(title=f"{measuring.CALLERS} callers for {seconds:g} s, then kill -9")
    table.add_column("setting")
    for heading in ("claims/s", "p99 ms", "accepted", "lost"):
        table.add_column(heading, justify="right")
    for row in rows:
        speed, counts = f"{row.claims_per_second:,.0f}", (f"{row.accepted:,}", f"{row.lost:,}")
        table.add_row(str(MODES[row.mode][0]), speed, f"{row.p99_ms:.1f}", *counts)
    return table
