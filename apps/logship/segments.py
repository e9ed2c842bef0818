"""Segments of the access log: a file a process, given up and compressed when it is large or a day old.

The file is locked while it is written, so that a reader knows whether its last line may still grow. A process
that was killed leaves its file unlocked; the next one compresses it.
"""

import fcntl
import logging
import os
import shutil
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

from isal import igzip

#: A segment's largest size and age.
MAX_BYTES, MAX_AGE = 16 * 1024 * 1024, timedelta(days=1)
#: Compressed segments are deleted after this; long enough for an analyser that was away.
RETENTION = timedelta(days=14)
SUFFIX = ".jsonl"

log = logging.getLogger(__name__)


class Segment:
    """The segment that this process writes, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None
        self._began = 0.0

    def write(self, lines: bytes) -> None:
        """Add whole lines. OSError where the disk refuses."""
        if self._file is None:
            self._open()
        assert self._file
        self._file.write(lines)

    def flush(self) -> None:
        """Hand the lines to the system, and begin another segment where this one is large or old."""
        if self._file is None:
            return
        self._file.flush()
        if self._file.tell() >= MAX_BYTES or time.time() - self._began >= MAX_AGE.total_seconds():
            self.close()

    def close(self) -> None:
        """Give the segment up and compress it."""
        if self._file is None:
            return
        path, file, self._file = Path(self._file.name), self._file, None
        file.close()
        compress(path)

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        tidy(self._folder)
        self._began = time.time()
        name = time.strftime("access-%Y%m%dT%H%M%SZ", time.gmtime(self._began))
        opened = (self._folder / f"{name}-{os.getpid()}{SUFFIX}").open("ab")
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._file = opened


def tidy(folder: Path) -> None:
    """Compress what processes that died have left, and delete what is old."""
    for path in folder.glob(f"*{SUFFIX}"):
        compress(path)
    for path in folder.glob(f"*{SUFFIX}.gz"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > RETENTION.total_seconds():
                path.unlink()


def compress(path: Path) -> None:
    """Replace a segment by its compressed form, unless a process writes it; its time stays."""
    with suppress(FileNotFoundError), path.open("rb") as segment:
        try:
            fcntl.flock(segment, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        target, part = path.with_name(f"{path.name}.gz"), path.with_name(f"{path.name}.gz.{os.getpid()}.part")
        with part.open("wb") as raw, igzip.IGzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            shutil.copyfileobj(segment, packed)
        stat = path.stat()
        os.utime(part, (stat.st_atime, stat.st_mtime))
        part.rename(target)
        path.unlink()
