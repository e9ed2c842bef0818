"""`import_shops`: the shops of a CSV or XLSX file, checked and written as the admin does it."""

from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from apps.imports import running
from apps.imports.models import Import
from apps.shops.importing import SHOPS
from apps.web.problems import Problem


class Command(BaseCommand):
    help = "Import shops from a CSV or XLSX file (docs/imports.md). The same file twice changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would change, and change nothing"
        )
        parser.add_argument(
            "--stop-at-errors", action="store_true", help="import nothing if any row is wrong"
        )

    def handle(self, *, file: Path, dry_run: bool, stop_at_errors: bool, **options: Any) -> None:
        try:
            with file.open("rb") as opened:
                run = running.start(
                    SHOPS, opened, name=file.name, by=None, stops_at_errors=stop_at_errors, by_worker=False
                )
        except OSError as error:
            raise CommandError(str(error)) from error
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        run = self._work("checking", run)
        if run.state == Import.State.CHECKED and dry_run:
            running.cancel(run.pk)
        elif run.state == Import.State.CHECKED:
            run = self._work("importing", running.confirm(run.pk, by_worker=False))
        for refused in run.refusals.order_by("line", "pk"):
            self.stderr.write(f"row {refused.line}: {refused.reason}")
        if run.state == Import.State.FAILED:
            raise CommandError(run.error)
        written = f"{run.created:,} new, {run.changed:,} changed, {run.unchanged:,} unchanged"
        self.stdout.write(f"{written}, {run.refused:,} refused{'; nothing was written' if dry_run else ''}")

    def _work(self, what: str, run: Import) -> Import:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        console = Console(file=cast(IO[str], self.stdout._out))
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=None)

            def show(now: Import) -> None:
                bar.update(task, description=f"{what}: {now.done:,} rows")

            while run.is_active:
                run = running.go_on(run.pk, progress=show)
        return run
