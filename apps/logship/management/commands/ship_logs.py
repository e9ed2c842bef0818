"""`ship_logs`: send log files through Redis to the analysers."""

import signal
import threading
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.logship import sending


class Command(BaseCommand):
    help = (
        "Send log files (plain or .gz) through Redis to the analysers, each line once; a stopped run goes "
        "on. With --follow also what is written from now on, until SIGTERM or Ctrl-C."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "paths", nargs="*", type=Path, metavar="PATH", help="files or folders; default: the site's own"
        )
        parser.add_argument("--follow", action="store_true", help="go on with what is written")

    def handle(self, *, paths: list[Path], follow: bool, **options: Any) -> None:
        stop, paths = threading.Event(), paths or list(filter(None, [settings.ACCESS_LOG_DIR]))
        if threading.current_thread() is threading.main_thread():
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: stop.set())
        try:
            if follow:
                sending.follow(paths, stop)
                return
            shipped = sending.ship(paths, stop)
        except sending.BadFile as error:
            raise CommandError(str(error)) from error
        except sending.Stopped:
            raise CommandError("stopped; the same command goes on from here") from None
        self.stdout.write(f"{shipped.files} files, {shipped.sent_bytes:,} bytes of text sent")
        if shipped.broken:
            raise CommandError(f"not whole: {'; '.join(shipped.broken)}")
