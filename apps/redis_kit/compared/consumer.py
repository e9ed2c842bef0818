"""A consumer in a process of its own, which writes down what it handles and can be killed at a bad moment."""

import multiprocessing
import signal
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import IO

from apps.redis_kit import lifeline
from apps.redis_kit.compared.designs import Design

#: Digits of a message; with its line's end a message takes WIDTH + 1 bytes of the diary.
WIDTH = 8
#: Seconds a consumer may take to start, or to come to where it is to be killed.
PATIENCE = 60.0

_forks = multiprocessing.get_context("fork")


class Moment(Enum):
    """Where a consumer is when it dies."""

    NEVER = ""
    TAKEN = "it has a message and did nothing with it"
    HANDLED = "it handled a message and told nobody"


class Diary:
    """A file of every message as often as it was handled: an effect outside Redis, as an order's row is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()

    @property
    def lines(self) -> int:
        return self.path.stat().st_size // (WIDTH + 1)

    def times(self) -> Counter[str]:
        """How often each message was handled."""
        return Counter(self.path.read_text().split())


class Consumer:
    """Begun with `with`, killed with SIGKILL at its end; comes to a halt at the `nth` message."""

    def __init__(self, design: Design, diary: Diary, *, dies: Moment = Moment.NEVER, nth: int = 0) -> None:
        self._design, self._diary, self._dies, self._nth = design, diary, dies, nth
        self._seen = 0
        self._ours, self._theirs = _forks.Pipe()
        self._process = _forks.Process(target=self._run, daemon=True)

    def __enter__(self) -> "Consumer":
        self._process.start()
        self._hear("does not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()

    def comes_to_its_moment(self) -> None:
        """Wait until it stands where it is to be killed."""
        self._hear("does not come to its moment")

    def _hear(self, otherwise: str) -> None:
        if not self._ours.poll(PATIENCE):
            raise TimeoutError(f"{self._design.name}: the consumer {otherwise}")
        self._ours.recv()

    def _run(self) -> None:
        lifeline.hold()
        with self._diary.path.open("ab", buffering=0) as file:
            self._design.consume(lambda: self._theirs.send("ready"), lambda taken: self._handle(file, taken))

    def _handle(self, file: IO[bytes], taken: Sequence[str]) -> None:
        for message in taken:
            self._seen += 1
            self._perhaps_die(Moment.TAKEN)
            file.write(f"{message}\n".encode())
            self._perhaps_die(Moment.HANDLED)

    def _perhaps_die(self, moment: Moment) -> None:
        if (self._dies, self._nth) == (moment, self._seen):
            self._theirs.send("kill me")
            signal.pause()
