"""The loop of an analyser: blocks become lines, lines become numbers, and numbers and offsets one commit.

How far each file is counted stands in SQL beside the numbers and changes in the same transaction, so no line
is counted twice: not after kill -9, not when Redis lost everything and the files are sent again.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db import Error as DatabaseError
from django.db import IntegrityError, close_old_connections, transaction

from apps.logship import block_stream
from apps.logship.block_stream import BEGINNING, Block
from apps.logship.models import FilePosition
from apps.redis_kit import client, fault_injection

#: Blocks counted in one commit: 8 MiB of text at most.
MAX_BLOCKS = 64
MAX_LINE_BYTES = 16 * 1024 * 1024
#: Seconds between two looks at a stream that gives nothing, and at a store that is away.
IDLE_SECONDS, AWAY_SECONDS = 1.0, 1.0
#: Rounds without a block until the analyser says again that it lives.
IDLE_ROUNDS = 30

log = logging.getLogger(__name__)


class Analyser(Protocol):
    """Makes numbers of lines: `name` is its group's; it gets whole lines of one file at a time."""

    name: str

    def gather(self, lines: bytes, into: Any) -> None:
        """Count these lines; the last one may be without its end."""

    def start(self) -> Any:
        """What `gather` counts into, empty."""

    def write(self, gathered: Any) -> None:
        """Add the numbers to SQL's, inside the transaction."""


class Overtaken(Exception):  # noqa: N818 - what happened
    """Another process of the same analyser has counted these lines already."""


@dataclass
class _Progress:
    """A file as it is counted: `offset` is SQL's, `counted` will be after the commit.

    `rest` is the text behind it, of a line that is not whole.
    """

    offset: int
    counted: int
    rest: bytes = b""
    lost: int = 0
    damaged: int = 0


@dataclass
class Reader:
    """One process's reading of the stream for one analyser."""

    analyser: Analyser
    _cursor: str = ""
    #: The newest block behind which no line is unfinished.
    _done: str = BEGINNING
    _files: dict[str, _Progress] = field(default_factory=dict)

    def follow(self, stop: threading.Event) -> None:
        """Count what comes until `stop`; waits while Redis or SQL is away."""
        idle_rounds = 0
        while not stop.is_set():
            close_old_connections()
            try:
                blocks = self.step(is_due=idle_rounds % IDLE_ROUNDS == 0)
            except (*client.UNAVAILABLE, DatabaseError) as error:
                log.warning("%s waits: %s", self.analyser.name, error)
                self._start_over()
                stop.wait(AWAY_SECONDS)
                continue
            idle_rounds = 0 if blocks else idle_rounds + 1
            if not blocks:
                stop.wait(IDLE_SECONDS)

    def drain(self) -> int:
        """Count what is in the stream; returns how many blocks. Raises client.UNAVAILABLE or SQL's error."""
        total = 0
        while blocks := self.step():
            total += blocks
        return total

    def step(self, *, is_due: bool = True) -> int:
        """Count the next blocks in one commit; returns how many. `is_due`: tell of an empty round too."""
        if not self._cursor:
            self._cursor = block_stream.settle(self.analyser.name)
        blocks = block_stream.read(self._cursor, MAX_BLOCKS)
        if not blocks:
            if is_due:
                block_stream.settle(self.analyser.name, self._done)
            return 0
        try:
            self._count(blocks)
        except (Overtaken, IntegrityError):
            log.info("%s: another process counts too", self.analyser.name)
            self._start_over()
            return len(blocks)
        fault_injection.point("blocks counted")
        block_stream.settle(self.analyser.name, self._done)
        return len(blocks)

    def _count(self, blocks: Sequence[Block]) -> None:
        self._load_offsets({block.file for block in blocks} - self._files.keys())
        gathered = self.analyser.start()
        for block in blocks:
            if lines := _take_lines(self._files[block.file], block):
                self.analyser.gather(lines, gathered)
            self._cursor = block.id
            if not any(progress.rest for progress in self._files.values()):
                self._done = block.id
        with transaction.atomic():
            for name, progress in self._files.items():
                self._save_offset(name, progress)
            self.analyser.write(gathered)
            fault_injection.point("commit")
        for progress in self._files.values():
            progress.offset, progress.lost, progress.damaged = progress.counted, 0, 0
        self._files = {name: progress for name, progress in self._files.items() if progress.rest}

    def _load_offsets(self, names: set[str]) -> None:
        rows = FilePosition.objects.filter(analyser=self.analyser.name, file__in=names)
        known = dict(rows.values_list("file", "offset"))
        for name in names:
            if name not in known:
                FilePosition.objects.get_or_create(analyser=self.analyser.name, file=name)
            offset = known.get(name, 0)
            self._files[name] = _Progress(offset, offset)

    def _save_offset(self, name: str, progress: _Progress) -> None:
        """Move SQL's offset, or Overtaken where it is no longer what this process counted from."""
        if (progress.counted, progress.lost, progress.damaged) == (progress.offset, 0, 0):
            return
        if not FilePosition.objects.move(self.analyser.name, name, progress.offset, progress.counted):
            raise Overtaken(name)
        if progress.lost or progress.damaged:
            FilePosition.objects.add_losses(self.analyser.name, name, progress.lost, progress.damaged)
            log.error(
                "%s: %d bytes of %s are missing, %d blocks are damaged",
                *(self.analyser.name, progress.lost, name, progress.damaged),
            )

    def _start_over(self) -> None:
        """Forget what is not committed; the next step begins behind the group's newest block."""
        self._cursor, self._done = "", BEGINNING
        self._files.clear()


def _take_lines(progress: _Progress, block: Block) -> bytes:
    """The whole lines that a block completes, without what is counted; the rest waits in `progress`."""
    if block.text is None:
        progress.damaged += 1
        return b""
    expected = progress.counted + len(progress.rest)
    if block.start + len(block.text) <= expected:
        return b""
    if block.start > expected:
        # Freed before this analyser had it, or damaged.
        progress.lost += block.start - expected
        progress.counted, progress.rest, expected = block.start, b"", block.start
    text = progress.rest + block.text[expected - block.start :]
    # A line that is longer than memory should hold is several.
    waits = block.goes_on and len(text) < MAX_LINE_BYTES
    cut = text.rfind(b"\n") + 1 if waits else len(text)
    progress.counted, progress.rest = progress.counted + cut, text[cut:]
    return text[:cut]
