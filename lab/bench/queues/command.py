"""The command line of the comparison of queues: a progress bar, then a table or JSON."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from lab.bench.queues import measurement

#: Table heading -> field of measurement.Result.
COLUMNS = {
    "messages/s": "per_second",
    "sent": "messages",
    "kept for the next": "kept",
    "lost": "lost",
    "handled twice": "twice",
    "still waiting": "waiting",
}


def main(words: Sequence[str], environ: Mapping[str, str]) -> int:
    """Compare the designs on the Redis of the settings and print what came out."""
    options = parse_options(words, environ)
    # Output to a pipe or a file has no screen width: the table gets 120 columns there.
    console = Console(width=None if sys.stdout.isatty() else 120, quiet=options.json)
    found = _measure_with_progress(options.messages, console)
    if options.json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    console.print(_table(found, options.messages))
    return 0


def parse_options(words: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Return the options; make variables are their defaults. Exits with 2 and a sentence on wrong ones."""
    parser = argparse.ArgumentParser("make bench-queues", description=__doc__)
    messages = environ.get("MESSAGES") or 6_000
    parser.add_argument("--messages", type=int, default=messages, help="for each design (6,000)")
    parser.add_argument("--json", action="store_true", default=environ.get("JSON") == "1", help="a JSON list")
    options = parser.parse_args(words)
    if not measurement.MIN_MESSAGES <= options.messages <= measurement.MAX_MESSAGES:
        parser.error(f"--messages takes {measurement.MIN_MESSAGES:,} to {measurement.MAX_MESSAGES:,}")
    return options


def _measure_with_progress(messages: int, console: Console) -> list[measurement.Result]:
    columns = (TextColumn("{task.description:<18}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def show(design: str, done: int, total: int) -> None:
            if design not in tasks:
                tasks[design] = bar.add_task(design, total=total)
            bar.update(tasks[design], completed=done)

        return list(measurement.compare(messages, show))


def _table(found: Sequence[measurement.Result], messages: int) -> Table:
    table = Table(title=f"{messages:,} messages undisturbed, and as many with two consumers killed (-9)")
    table.add_column("design")
    for heading in COLUMNS:
        table.add_column(heading, justify="right")
    for one in found:
        table.add_row(one.design, *(f"{getattr(one, field):,}" for field in COLUMNS.values()))
    return table
