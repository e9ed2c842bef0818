"""Runs a queue consumer in a child process, logs the messages it handles, and kills it at a chosen moment."""

import multiprocessing
import signal
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import IO

from apps.patterns.queue_designs import QueueDesign
from apps.web import child_process

#: Digits of a message; with its line break, a message takes MESSAGE_DIGITS + 1 bytes of the log.
MESSAGE_DIGITS = 8
#: Seconds that a consumer may take to start, or to reach its kill point.
START_TIMEOUT_SECONDS = 60.0

_forks = multiprocessing.get_context("fork")


class KillPoint(Enum):
    """The moment at which a consumer is killed, relative to the handling of a message."""

    NEVER = ""
    TAKEN = "it has a message and did nothing with it"
    HANDLED = "it handled a message and told nobody"


class HandledLog:
    """A file with a line for each handling of a message: an effect outside Redis, as a row in SQL is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()

    @property
    def lines(self) -> int:
        return self.path.stat().st_size // (MESSAGE_DIGITS + 1)

    def times(self) -> Counter[str]:
        """Return how many times each message was handled, by message."""
        return Counter(self.path.read_text().split())


class ConsumerProcess:
    """Context manager that runs a consumer in a child process and kills it with SIGKILL on exit.

    With a `kill_point`, the consumer stops there at its `kill_at_message`-th message and waits for the kill.
    """

    def __init__(
        self,
        design: QueueDesign,
        diary: HandledLog,
        *,
        kill_point: KillPoint = KillPoint.NEVER,
        kill_at_message: int = 0,
    ) -> None:
        self._design, self._diary, self._kill_point, self._kill_at_message = (
            design,
            diary,
            kill_point,
            kill_at_message,
        )
        self._seen = 0
        self._parent_end, self._child_end = _forks.Pipe()
        self._process = _forks.Process(target=self._run, daemon=True)

    def __enter__(self) -> "ConsumerProcess":
        self._process.start()
        self._wait_for_signal("does not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()

    def wait_for_kill_point(self) -> None:
        """Wait until the consumer has stopped at its kill point; TimeoutError after START_TIMEOUT_SECONDS."""
        self._wait_for_signal("does not come to its moment")

    def _wait_for_signal(self, otherwise: str) -> None:
        if not self._parent_end.poll(START_TIMEOUT_SECONDS):
            raise TimeoutError(f"{self._design.name}: the consumer {otherwise}")
        self._parent_end.recv()

    def _run(self) -> None:
        child_process.die_with_parent()
        with self._diary.path.open("ab", buffering=0) as file:
            self._design.consume(
                lambda: self._child_end.send("ready"), lambda taken: self._handle(file, taken)
            )

    def _handle(self, file: IO[bytes], taken: Sequence[str]) -> None:
        for message in taken:
            self._seen += 1
            self._pause_at_kill_point(KillPoint.TAKEN)
            file.write(f"{message}\n".encode())
            self._pause_at_kill_point(KillPoint.HANDLED)

    def _pause_at_kill_point(self, moment: KillPoint) -> None:
        if (self._kill_point, self._kill_at_message) == (moment, self._seen):
            self._child_end.send("kill me")
            signal.pause()
