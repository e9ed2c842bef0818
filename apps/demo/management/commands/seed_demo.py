"""`manage.py seed_demo`: fills SQL and Redis with the demo city and shows progress."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from apps.demo import city


class Command(BaseCommand):
    help = "Fill the demo city: shops, people, what they write and like, vouchers, sales. Safe to run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--shops", type=int, default=city.DEFAULT_SHOPS, help="how many (480; 1000000 works)"
        )
        parser.add_argument(
            "--seed", type=int, default=city.DEFAULT_SEED, help="another number, another city"
        )

    def handle(self, *args: Any, shops: int, seed: int, **options: Any) -> None:
        if not 50 <= shops <= 10_000_000:
            raise CommandError("--shops: a city has 50 to 10000000 shops")
        console = Console(file=cast("IO[str]", self.stdout), quiet=options["verbosity"] == 0)
        words = TextColumn("[bold]{task.description:<8}")
        columns = (words, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as bar:
            tasks: dict[str, TaskID] = {}

            def show(name: str, done: int, total: int) -> None:
                if name not in tasks:
                    tasks[name] = bar.add_task(name, total=total)
                    if not console.is_terminal:
                        # Bars are drawn there when all is done.
                        console.print(f"{name}: {total} ...")
                bar.update(tasks[name], completed=done, total=total)

            made = city.seed_city(shops, seed=seed, progress=show)
        news = ", ".join(f"{count} {noun.replace('_', '-')}" for noun, count in asdict(made).items() if count)
        console.print(f"New in the demo city: {news or 'nothing, it was complete'}.")
