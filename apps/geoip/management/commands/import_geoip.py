"""`import_geoip`: load MaxMind's GeoLite2 City files, so that addresses have cities."""

from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from apps.geoip import importing
from apps.redis_kit import client


class Command(BaseCommand):
    help = (
        "Load GeoLite2 City files (…-Blocks-IPv4.csv, …-Blocks-IPv6.csv, …-Locations-en.csv, "
        "…-Locations-zh-CN.csv, or their .zip). The old table serves until the new one is whole; a stopped "
        "import goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")

    def handle(self, *, files: list[Path], **options: Any) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        console = Console(file=cast(IO[str], self.stdout._out))
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("reading", total=None)

            def show(name: str, rows: int) -> None:
                bar.update(task, description=f"{name}: {rows:,} rows")

            try:
                done = importing.import_files(importing.find_files(files), show)
            except importing.BadFile as error:
                raise CommandError(f"nothing was changed: {error}") from error
            except client.UNAVAILABLE as error:
                raise CommandError(f"Redis is away ({error}); the same command goes on from here") from error
        resumed = f", {done.resumed_at:,} of them by an earlier run" if done.resumed_at else ""
        self.stdout.write(f"{done.ranges:,} ranges{resumed}, {done.cities:,} places")
