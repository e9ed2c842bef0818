"""`uv_accuracy`: print how far HyperLogLogs are off at growing numbers of visitors."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.redis_kit import client
from apps.uv import accuracy

COLUMN_TITLES = ("visitors", "estimate", "error", "in standard errors", "HyperLogLog", "a SET", "seconds")
ROW_FORMAT = "{:>12} {:>12} {:>9} {:>19} {:>13} {:>13} {:>9}"
#: Hashing and sending a thousand million takes half an hour; more would only take longer.
MAX_VISITORS = 1_000_000_000


class Command(BaseCommand):
    help = "Compare a HyperLogLog with the truth on synthetic visitors; exit code 1 when it is far off."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--visitors", type=int, default=1_000_000, help="1,000 at least")
        parser.add_argument("--seed", type=int, default=0, help="another seed makes other visitors")

    def handle(self, *, visitors: int, seed: int, **options: Any) -> None:
        if not accuracy.MIN_VISITORS <= visitors <= MAX_VISITORS:
            raise CommandError(f"--visitors takes {accuracy.MIN_VISITORS:,} to {MAX_VISITORS:,}")
        self.stdout.write(f"One standard error of a HyperLogLog is {accuracy.STANDARD_ERROR:.2%}.")
        self.stdout.write(ROW_FORMAT.format(*COLUMN_TITLES))
        wrong = [one for one in self.print_measurements(visitors, seed) if not one.is_right]
        if wrong:
            raise CommandError(f"{len(wrong)} of these are off by more than {accuracy.MAX_ERROR:.2%}")

    def print_measurements(self, visitors: int, seed: int) -> list[accuracy.Measurement]:
        """Every measurement, printed as it comes."""
        found = []
        for one in accuracy.measure(client.get(), visitors, seed=seed):
            self.stdout.write(format_row(one))
            found.append(one)
        return found


def format_row(one: accuracy.Measurement) -> str:
    errors = f"{one.error / accuracy.STANDARD_ERROR:+.2f}"
    sizes = [f"{size / 1024:,.1f} KB" for size in (one.bytes, one.set_bytes)]
    return ROW_FORMAT.format(
        f"{one.truth:,}", f"{one.estimate:,}", f"{one.error:+.3%}", errors, *sizes, f"{one.seconds:.2f}"
    )
