from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.coupons.orders import consuming


class Command(BaseCommand):
    help = "Turn accepted orders into rows, until SIGTERM; a batch under way is finished first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--processes", type=int, default=1, help="how many consumers (default 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["processes"] <= 64:
            raise CommandError("--processes takes 1 to 64")
        self.stdout.write(f"Consuming orders in {options['processes']} process(es)")
        self.stdout.flush()
        consuming.serve(options["processes"])
