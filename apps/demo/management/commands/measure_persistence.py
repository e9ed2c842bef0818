"""`manage.py measure_persistence`: what each persistence setting of Redis costs and loses on this machine."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from apps.demo.embedded_redis import EmbeddedRedisError
from apps.demo.persistence import measuring
from apps.monitoring.persistence import measurements
from apps.monitoring.persistence.losses import MODES
from apps.monitoring.persistence.measurements import Measurement
from apps.redis_kit import client


class Command(BaseCommand):
    help = "Claims on servers of its own, one for each persistence setting, each ended with kill -9."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seconds", type=float, default=5.0, help="of claims for each setting (5)")
        parser.add_argument("--directory", type=Path, help="on the disk to measure (the system's for files)")
        parser.add_argument("--json", action="store_true", help="one JSON list, for programs")

    def handle(self, *, seconds: float, directory: Path | None, **options: Any) -> None:
        if not 0 < seconds <= 600:
            raise CommandError("--seconds takes a number up to 600")
        out = self.stdout
        width = None if out.isatty() else 120
        console = Console(file=cast("IO[str]", out._out), width=width, quiet=options["json"])
        try:
            rows = [
                measuring.measure(mode, seconds=seconds, directory=directory)
                for mode in track(measuring.OPTIONS, "measuring", console=console, transient=True)
            ]
        except (EmbeddedRedisError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            out.write(json.dumps([asdict(row) for row in rows], indent=2))
        console.print(_build_table(rows, seconds))
        self._save(rows)

    def _save(self, rows: list[Measurement]) -> None:
        try:
            measurements.save(rows)
        except client.UNAVAILABLE as error:
            self.stderr.write(f"The admin's page does not show this: the site's Redis is away ({error}).")


def _build_table(rows: Sequence[Measurement], seconds: float) -> Table:
    table = Table(title=f"{measuring.CALLERS} callers for {seconds:g} s, then kill -9")
    table.add_column("setting")
    for heading in ("claims/s", "p99 ms", "accepted", "lost"):
        table.add_column(heading, justify="right")
    for row in rows:
        speed, counts = f"{row.claims_per_second:,.0f}", (f"{row.accepted:,}", f"{row.lost:,}")
        table.add_row(str(MODES[row.mode][0]), speed, f"{row.p99_ms:.1f}", *counts)
    return table
