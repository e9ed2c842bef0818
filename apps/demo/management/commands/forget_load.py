"""`forget_load`: removes the people and sales that load tests made."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from apps.demo import load_removal
from apps.redis_kit import client


class Command(BaseCommand):
    help = "Remove the people whom mint_tokens made, with their orders, and the sales of create_sale."

    def handle(self, *args: Any, **options: Any) -> None:
        total = load_removal.count_people()
        console = Console(file=sys.stderr, quiet=options["verbosity"] == 0)
        with Progress(console=console, transient=True) as progress:
            bar = progress.add_task("People", total=total)
            try:
                done = load_removal.remove(lambda people: progress.update(bar, completed=people))
            except load_removal.StillQueued as waiting:
                raise CommandError(
                    f"{waiting} orders of a load test are no rows yet: start the order consumers "
                    "(manage.py consume_orders), then run this again."
                ) from None
            except client.UNAVAILABLE as error:
                raise CommandError("Redis does not answer: run this again when it does.") from error
        self.stdout.write(f"Removed {done.people} people, {done.orders} orders and {done.sales} sales.")
        if done.people_kept or done.sales_kept:
            self.stdout.write(
                f"{done.people_kept} people stay as accounts without a name and {done.sales_kept} sales "
                "withdrawn: rows of other people need them."
            )
