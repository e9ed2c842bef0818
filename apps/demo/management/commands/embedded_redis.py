"""`manage.py embedded_redis`: runs the embedded Redis server in the foreground."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.demo import embedded_redis


class Command(BaseCommand):
    help = "Run the embedded Redis server in the foreground, until SIGTERM."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dir", type=Path, default=settings.REDIS_DIR, help="default VAR_DIR/redis")

    def handle(self, **options: Any) -> None:
        try:
            embedded_redis.serve(options["dir"])
        except embedded_redis.EmbeddedRedisError as error:
            raise CommandError(str(error)) from None
