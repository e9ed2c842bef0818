from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from apps.demo import preparation


class Command(BaseCommand):
    help = "Migrate, collect static files, seed the demo city and fill Redis; what is up to date is skipped."
    # It runs before the migrations, and `make demo` should open soon.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--shops", type=int, default=0, help="how many (default: as seed_demo)")

    def handle(self, *args: Any, shops: int, **options: Any) -> None:
        preparation.prepare(shops)
