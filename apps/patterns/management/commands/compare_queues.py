"""`manage.py compare_queues`: measures speed and message losses of four queue designs."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from apps.patterns.queue_comparison import measurement

#: Table heading -> field of measurement.Result.
COLUMNS = {
    "messages/s": "per_second",
    "sent": "messages",
    "kept for the next": "kept",
    "lost": "lost",
    "handled twice": "twice",
    "still waiting": "waiting",
}


class Command(BaseCommand):
    help = "Four queues to a worker, which is killed: how fast each is, what it loses and does twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--messages", type=int, default=6_000, help="for each design (6,000)")
        parser.add_argument("--json", action="store_true", help="one JSON list, for programs")

    def handle(self, *, messages: int, **options: Any) -> None:
        if not measurement.MIN_MESSAGES <= messages <= measurement.MAX_MESSAGES:
            raise CommandError(
                f"--messages takes {measurement.MIN_MESSAGES:,} to {measurement.MAX_MESSAGES:,}"
            )
        console = _console(self.stdout, quiet=options["json"])
        found = _measure_with_progress(messages, console)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in found], indent=2))
        console.print(_table(found, messages))


def _console(out: OutputWrapper, *, quiet: bool) -> Console:
    # Output to a pipe or a file has no screen width: the table gets 120 columns there.
    return Console(file=cast("IO[str]", out._out), width=None if out.isatty() else 120, quiet=quiet)


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
