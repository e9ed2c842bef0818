"""`manage.py compare PATTERN…`: measures the naive way of patterns beside ours."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from apps.patterns import comparisons, registry
from apps.patterns.comparisons import Result
from apps.patterns.pattern import Pattern

MAX_SECONDS = 30.0


class Command(BaseCommand):
    help = "Measures patterns: the naive way and ours in turn, on scratch keys of the Redis of the settings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slugs", nargs="*", metavar="pattern", help="as in the page's address; all without"
        )
        parser.add_argument(
            "--seconds", type=float, default=comparisons.BUDGET_SECONDS, help="for each pattern (2)"
        )
        parser.add_argument("--store", action="store_true", help="keep the figures for the pages")
        parser.add_argument("--json", action="store_true", help="one JSON list, for programs")

    def handle(self, *, slugs: list[str], seconds: float, **options: Any) -> None:
        if not 0 < seconds <= MAX_SECONDS:
            raise CommandError(f"--seconds takes more than 0, and up to {MAX_SECONDS:g}")
        chosen = _select(slugs)
        console = Console(
            file=cast("IO[str]", self.stdout._out),
            width=None if self.stdout.isatty() else 120,
            quiet=options["json"],
        )
        results = [
            comparisons.compare(pattern, seconds)
            for pattern in track(chosen, console=console, description="", transient=True)
        ]
        for result in results if options["store"] else ():
            comparisons.store(result)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(result) for result in results], indent=2))
        console.print(_table(results))


def _select(slugs: list[str]) -> list[Pattern]:
    by_slug = {pattern.slug: pattern for pattern in registry.all_patterns()}
    if unknown := [slug for slug in slugs if slug not in by_slug]:
        raise CommandError(f"unknown: {', '.join(unknown)}; there are: {', '.join(by_slug)}")
    return [by_slug[slug] for slug in slugs or by_slug]


def _table(results: Sequence[Result]) -> Table:
    table = Table(title=f"{results[0].machine}; {results[0].versions}")
    table.add_column("pattern")
    for heading in ("naive µs", "p99", "trips", "ours µs", "p99", "trips", "rounds"):
        table.add_column(heading, justify="right")
    for one in results:
        figures = [
            one.naive.median_us, one.naive.p99_us, one.naive.trips,
            one.ours.median_us, one.ours.p99_us, one.ours.trips, one.ours.rounds,
        ]  # fmt: skip
        table.add_row(one.pattern, *(f"{figure:,}" for figure in figures))
    return table
