"""`analyse_logs`: count visits per city and the times of paths from the shipped logs."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from apps.logship import analysing
from apps.logship.analysing import ANALYSERS, open_readers
from apps.redis_kit import client


class Command(BaseCommand):
    help = (
        "Count what ship_logs has sent, each line once: visits per city and day, and the slowest paths. "
        "With --follow also what comes from now on, until SIGTERM or Ctrl-C. Any number of these may run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", choices=sorted(ANALYSERS), help="one of the analysers")
        parser.add_argument("--follow", action="store_true", help="go on with what comes")

    def handle(self, *, only: str | None, follow: bool, **options: Any) -> None:
        try:
            readers = open_readers(only)
            if follow:
                follow_all(readers)
                return
            counts = {reader.analyser.name: reader.drain() for reader in readers}
        except client.UNAVAILABLE as error:
            raise CommandError(f"Redis is away ({error}); the same command goes on from here") from error
        self.stdout.write(", ".join(f"{name}: {count} blocks" for name, count in counts.items()))


def follow_all(readers: list[analysing.Reader]) -> None:
    """Run each reader in a thread of its own until SIGTERM or Ctrl-C."""
    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
    threads = [threading.Thread(target=_follow, args=(reader, stop), daemon=True) for reader in readers]
    for thread in threads:
        thread.start()
    stop.wait()
    for thread in threads:
        thread.join()


def _follow(reader: analysing.Reader, stop: threading.Event) -> None:
    try:
        reader.follow(stop)
    finally:
        connections.close_all()
