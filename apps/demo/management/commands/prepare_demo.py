"""`manage.py prepare_demo`: prepares the demo's SQL, static files and Redis."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from apps.demo import preparation


class Command(BaseCommand):
    help = "Migrate, collect static files, seed the demo city and fill Redis; what is up to date is skipped."
    # No checks: the command runs before the migrations, and `make demo` should start fast.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--shops", type=int, default=0, help="how many (default: as seed_demo)")

    def handle(self, *args: Any, shops: int, **options: Any) -> None:
        preparation.prepare(shops)
