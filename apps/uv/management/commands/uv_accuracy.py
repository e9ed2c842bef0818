from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.redis_kit import client
from apps.uv import accuracy

HEAD = ("visitors", "estimate", "error", "in standard errors", "HyperLogLog", "a SET", "seconds")
ROW = "{:>12} {:>12} {:>9} {:>19} {:>13} {:>13} {:>9}"
#: Hashing and sending a thousand million takes half an hour; more would only take longer.
MOST = 1_000_000_000


class Command(BaseCommand):
    help = "Compare a HyperLogLog with the truth on synthetic visitors; exit code 1 when it is far off."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--visitors", type=int, default=1_000_000, help="1,000 at least")
        parser.add_argument("--seed", type=int, default=0, help="another seed makes other visitors")

    def handle(self, *, visitors: int, seed: int, **options: Any) -> None:
        if not accuracy.SMALLEST <= visitors <= MOST:
            raise CommandError(f"--visitors takes {accuracy.SMALLEST:,} to {MOST:,}")
        self.stdout.write(f"One standard error of a HyperLogLog is {accuracy.STANDARD_ERROR:.2%}.")
        self.stdout.write(ROW.format(*HEAD))
        wrong = [one for one in self.shown(visitors, seed) if not one.is_right]
        if wrong:
            raise CommandError(f"{len(wrong)} of these are off by more than {accuracy.ALLOWED:.2%}")

    def shown(self, visitors: int, seed: int) -> list[accuracy.Measured]:
        """Every measurement, printed as it comes."""
        found = []
        for one in accuracy.measure(client.get(), visitors, seed=seed):
            self.stdout.write(row(one))
            found.append(one)
        return found


def row(one: accuracy.Measured) -> str:
    errors = f"{one.error / accuracy.STANDARD_ERROR:+.2f}"
    sizes = [f"{size / 1024:,.1f} KB" for size in (one.bytes, one.set_bytes)]
    return ROW.format(
        f"{one.truth:,}", f"{one.estimate:,}", f"{one.error:+.3%}", errors, *sizes, f"{one.seconds:.2f}"
    )
