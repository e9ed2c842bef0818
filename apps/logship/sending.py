"""The sender: reads log files and puts their blocks into the stream, each once.

The position in a file is in Redis beside the stream and changes with it, so a sender that was killed goes on
where it was, and two senders do no harm.
"""

import fcntl
import hashlib
import io
import logging
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from isal import igzip, isal_zlib

from apps.logship import block_stream
from apps.logship.block_stream import SendOutcome
from apps.redis_kit import client, fault_injection

#: Seconds between two looks at a stream that is full, and at a Redis that is away or has no memory.
FULL_PAUSE_SECONDS, AWAY_PAUSE_SECONDS = 0.05, 1.0
#: Seconds between two looks at files that grow.
FOLLOW_SECONDS = 1.0
#: (path, bytes, time of change) of a file.
Stamp = tuple[str, int, int]
log = logging.getLogger(__name__)
#: Bytes of text in a block: a smaller one costs more round trips, a larger one compresses hardly better.
BLOCK_BYTES = 128 * 1024
#: So much of the first line tells a file from another of the same name.
NAMED_BYTES = 4_096
GZIP_SUFFIX = ".gz"
#: What the site's own log files are called (access_log.py), open or compressed.
PATTERNS = ("*.jsonl", f"*.jsonl{GZIP_SUFFIX}")


class EndedFile(NamedTuple):
    """A file that this process has sent to its end, and where that is."""

    name: str
    end: int


_ended_files: dict[Stamp, EndedFile] = {}


class Stopped(Exception):  # noqa: N818 - not an error
    """`stop` was set while the sender worked."""


class Shipped(NamedTuple):
    """What one look at the files sent, and the files that could not be read to their end."""

    files: int = 0
    sent_bytes: int = 0
    broken: tuple[str, ...] = ()


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


def follow(paths: Iterable[Path], stop: threading.Event) -> None:
    """Send what files and folders hold, and what comes, until `stop`; waits while Redis is away."""
    watched, broken = list(paths), set[str]()
    while not stop.is_set():
        try:
            shipped = ship(watched, stop)
        except Stopped:
            return
        for complaint in set(shipped.broken) - broken:
            log.error("a log file can't be sent whole: %s", complaint)
        broken |= set(shipped.broken)
        stop.wait(FOLLOW_SECONDS)


def ship(paths: Iterable[Path], stop: threading.Event) -> Shipped:
    """Send what these files and folders hold that was not sent; waits for room and for Redis.

    Raises Stopped once `stop` is set, log_files.BadFile for a path that is none.
    """
    listed, sent_bytes, broken = list_paths(paths), 0, []
    for path in listed:
        try:
            sent_bytes += _ship_path(path, stop)
        except BadFile as error:
            broken.append(str(error))
    return Shipped(len(listed), sent_bytes, tuple(broken))


def _ship_path(path: Path, stop: threading.Event) -> int:
    """Send the rest of a file; returns its bytes. One that was sent to its end is not read again."""
    stamp = _stamp(path)
    known = _ended_files.get(stamp) if stamp else None
    if known and _read_sent(known.name, stop) == known.end:
        return 0
    file = identify(path)
    if file is None:
        return 0
    begun = _read_sent(file.name, stop)
    end = _ship_file(file, begun, stop)
    if stamp and not file.is_open:
        _ended_files[stamp] = EndedFile(file.name, end)
    return end - begun


def _stamp(path: Path) -> Stamp | None:
    """What changes when a file does; None for one that is gone."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return str(path), stat.st_size, stat.st_mtime_ns


def _ship_file(file: LogFile, position: int, stop: threading.Event) -> int:
    """Send a file from a position on; returns its end."""
    while True:
        position, is_whole = _send_pieces(file, position, stop)
        if is_whole:
            return position


def _send_pieces(file: LogFile, position: int, stop: threading.Event) -> tuple[int, bool]:
    """(position, whether it is the file's end); it isn't where another sender was met. Raises Stopped."""
    for piece in read_pieces(file, position):
        if stop.is_set():
            raise Stopped
        if piece.start == position:
            sending = _send(file.name, piece, stop)
            fault_injection.point("block sent")
            position = sending.sent
            if sending.outcome is SendOutcome.ELSEWHERE and position != piece.start + len(piece.text):
                return position, False
    return position, True


def _read_sent(name: str, stop: threading.Event) -> int:
    while True:
        try:
            return block_stream.read_sent(name)
        except client.UNAVAILABLE as error:
            _wait_for_redis(error, stop)


def _send(name: str, piece: Piece, stop: threading.Event) -> block_stream.Sending:
    """Send a block as soon as there is room; after a lost reply it is sent again, which adds nothing."""
    while True:
        try:
            sending = block_stream.send(name, *piece)
        except client.UNAVAILABLE as error:
            _wait_for_redis(error, stop)
            continue
        if sending.outcome is not SendOutcome.FULL:
            return sending
        if stop.wait(FULL_PAUSE_SECONDS):
            raise Stopped


def _wait_for_redis(error: Exception, stop: threading.Event) -> None:
    log.warning("Redis takes no log blocks (%s), waiting", error)
    if stop.wait(AWAY_PAUSE_SECONDS):
        raise Stopped


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
