"""`manage.py move_delayed`: moves due delayed jobs into the workers' queues until SIGTERM or Ctrl-C."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from apps.metrics import sending
from apps.queues import delayed


class Command(BaseCommand):
    help = "Hand delayed jobs to the workers when they are due; any number of these may run."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        self.stdout.write("Moving delayed jobs.")
        sending.start("mover")
        delayed.run_mover(stop)
