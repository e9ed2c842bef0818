"""`mint_tokens`: API tokens of load-test users, written to a private file."""

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from apps.demo import load_test_users

_AGE = re.compile(r"now|([0-9]{1,6})h|([0-9]{1,6})m")


class Command(BaseCommand):
    help = "Make people for a load test and write their API tokens, one a line; only with DEMO=1 or DEBUG=1."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--users", type=int, required=True, help="how many; the same people every time")
        parser.add_argument(
            "--last-used",
            type=_parse_age,
            default="26h",
            help="how long ago they used their log-ins, such as 26h or 90m; now is who logged in just now",
        )
        parser.add_argument("--out", required=True, help="file, readable by you alone; - prints")

    def handle(self, *args: Any, users: int, out: str, last_used: timedelta, **options: Any) -> None:
        if not (settings.DEMO or settings.DEBUG):
            raise CommandError(
                "mint_tokens lets anybody in who has its file: it runs only with DEMO=1 or DEBUG=1, "
                "never beside real people."
            )
        if not 1 <= users <= load_test_users.MAX_USERS:
            raise CommandError(f"--users takes 1 to {load_test_users.MAX_USERS}")
        with self._open_output(out) as file, _progress_bar(quiet=options["verbosity"] == 0) as progress:
            task = progress.add_task("Tokens", total=users)
            for minted in load_test_users.mint_tokens(users, last_used=last_used):
                file.writelines(f"{token}\n" for token in minted)
                progress.advance(task, len(minted))

    @contextmanager
    def _open_output(self, out: str) -> Iterator[Any]:
        if out == "-":
            yield self.stdout._out
            return
        try:
            with _open_private(out) as file:
                yield file
        except OSError as error:
            raise CommandError(f"can't write {out}: {error.strerror}") from None


def _parse_age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if match is None:
        raise ArgumentTypeError("takes a number of hours or minutes such as 26h or 90m, or now")
    age = timedelta(hours=int(match[1] or 0), minutes=int(match[2] or 0))
    if age >= settings.TOKEN_TTL:
        raise ArgumentTypeError(
            f"takes less than the {settings.TOKEN_TTL.days} days after which a log-in ends"
        )
    return age


def _open_private(path: str) -> IO[str]:
    """The emptied file, readable by its owner alone before the first token is in it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "w")


def _progress_bar(*, quiet: bool) -> Progress:
    words = TextColumn("{task.description}")
    # Standard output may be the list of tokens.
    console = Console(file=sys.stderr, quiet=quiet)
    return Progress(words, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console)
