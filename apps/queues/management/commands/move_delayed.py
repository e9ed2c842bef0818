"""`manage.py move_delayed`: moves due delayed jobs into the workers' queues until SIGTERM or Ctrl-C."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from celery import current_app
from celery.beat import Service
from django.core.management.base import BaseCommand

from apps.metrics import sending
from apps.queues import delayed


class Command(BaseCommand):
    help = "Hand delayed jobs to the workers when they are due; any number of these may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--beat",
            action="store_true",
            help="start the scheduled tasks too, instead of `celery beat`, of which there is one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        if options["beat"]:
            threading.Thread(target=_start_tasks, args=[stop], daemon=True).start()
        self.stdout.write("Moving delayed jobs.")
        sending.start("mover")
        delayed.run_mover(stop)


def _start_tasks(stop: threading.Event) -> None:
    """Start scheduled tasks at their times; when that fails the process ends, and is started again."""
    try:
        Service(current_app, max_interval=1).start()
    finally:
        stop.set()
