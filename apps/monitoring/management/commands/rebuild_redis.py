import logging
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from apps.monitoring import rebuilding
from apps.redis_kit import schema

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Restores what Redis holds from the database: everything, or the named parts."
    # A URL or template that fails its check must not keep Redis from coming back.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="name", help="an app, a module or module:function")

    def handle(self, *, names: list[str], **options: Any) -> None:
        chosen = _select_rebuilders(names)
        console = Console(file=cast(IO[str], self.stdout._out))
        with _progress_bar(console) as progress:
            failed = [name for name in chosen if not _rebuild(name, progress)]
        if failed:
            raise CommandError(f"failed: {', '.join(failed)}; the others are done")
        console.print(f"{len(chosen)} of {len(chosen)} rebuilt")


def _select_rebuilders(names: list[str]) -> list[str]:
    """The rebuild functions that the names stand for, each once; all of them without a name."""
    known = [name for name, _ in schema.rebuilders()]
    unknown = [name for name in names if not any(_matches(name, full) for full in known)]
    if unknown:
        raise CommandError(f"unknown: {', '.join(unknown)}; there are: {', '.join(known) or 'none'}")
    return [full for full in known if not names or any(_matches(name, full) for name in names)]


def _matches(name: str, full: str) -> bool:
    """Whether "coupons", "coupons.claims" or "apps.coupons.claims.loading:rebuild" names function `full`."""
    return any(
        candidate == name or candidate.startswith((f"{name}.", f"{name}:"))
        for candidate in (full, full.removeprefix("apps."))
    )


def _progress_bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TextColumn("{task.fields[outcome]}"), console=console)


def _rebuild(name: str, progress: Progress) -> bool:
    task = progress.add_task(name, total=None, outcome="")
    if not progress.console.is_terminal:
        # Bars are drawn there when all is done.
        progress.console.print(f"{name} ...")
    try:
        restored = rebuilding.fill(
            name, lambda done, total: progress.update(task, completed=done, total=total)
        )
    except Exception as error:
        log.exception("%s failed", name)
        progress.update(task, outcome=f"failed: {error}")
        return False
    progress.update(task, total=restored, completed=restored, outcome="done")
    return True
