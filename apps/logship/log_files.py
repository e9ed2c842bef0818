"""Log files as blocks of text: plain or gzip, in one member or several, also while they are being written.

A file is known by its name without ".gz" and its first line, so compressing or moving it sends nothing again.
"""

import fcntl
import hashlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from isal import igzip, isal_zlib

#: Bytes of text in a block: a smaller one costs more round trips, a larger one compresses hardly better.
BLOCK_BYTES = 128 * 1024
#: So much of the first line tells a file from another of the same name.
NAMED_BYTES = 4_096
GZIP_SUFFIX = ".gz"
#: What the site's own log files are called (access_log.py), open or compressed.
PATTERNS = ("*.jsonl", f"*.jsonl{GZIP_SUFFIX}")


class BadFile(ValueError):
    """A file that can't be read to its end; the text names it."""


class Piece(NamedTuple):
    """A block of a file: `start` in bytes of its text; `goes_on`: its last line ends in a later block."""

    start: int
    text: bytes
    goes_on: bool = False


class LogFile(NamedTuple):
    """A file; `is_open`: its writer may go on, so a last line without its end is not there yet."""

    path: Path
    name: str
    is_open: bool


def list_paths(paths: Iterable[Path]) -> list[Path]:
    """The files among these paths and in these folders, of a folder the oldest first; BadFile for none."""
    return [found for path in paths for found in _list_files(path)]


def identify(path: Path) -> LogFile | None:
    """The log file of a path; None while its first line is being written, and where it is no longer there.

    BadFile when it can't be read.
    """
    try:
        is_open = is_being_written(path)
        with _open(path) as stream:
            first = stream.readline(NAMED_BYTES)
    except FileNotFoundError:
        # Compressed or deleted since it was listed; the next look finds what it became.
        return None
    except (OSError, EOFError, isal_zlib.error) as error:
        raise BadFile(f"{path}: {error}") from error
    if is_open and not first.endswith(b"\n") and len(first) < NAMED_BYTES:
        return None
    digest = hashlib.sha256(first).hexdigest()[:16]
    return LogFile(path, f"{path.name.removesuffix(GZIP_SUFFIX)[-150:]}:{digest}", is_open)


def read_pieces(file: LogFile, start: int) -> Iterator[Piece]:
    """Yield the text from `start` on in blocks that end with a line, where a line isn't longer than one.

    BadFile, after what could be read, for a compressed file that is broken or cut off.
    """
    try:
        with _open(file.path) as stream:
            stream.seek(start)
            yield from _cut(stream, start, is_open=file.is_open)
    except (OSError, EOFError, isal_zlib.error) as error:
        raise BadFile(f"{file.path}: {error}") from error


def _cut(stream: io.BufferedReader, start: int, *, is_open: bool) -> Iterator[Piece]:
    rest = b""
    while True:
        text = rest + stream.read(BLOCK_BYTES - len(rest))
        is_end = not stream.peek(1)
        cut = len(text) if is_end and not is_open else text.rfind(b"\n") + 1
        is_within_line = not cut and len(text) == BLOCK_BYTES
        if is_within_line:
            cut = len(text)
        if cut:
            yield Piece(start, text[:cut], is_within_line)
        if is_end:
            return
        start, rest = start + cut, text[cut:]


def _list_files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(found for pattern in PATTERNS for found in path.glob(pattern))
    if not path.is_file():
        raise BadFile(f"{path} is no file and no folder")
    return [path]


def is_being_written(path: Path) -> bool:
    """Whether a process that writes the site's log has this file locked."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _open(path: Path) -> io.BufferedReader:
    return io.BufferedReader(igzip.open(path), BLOCK_BYTES) if path.suffix == GZIP_SUFFIX else path.open("rb")
