"""The sender: reads log files and puts their blocks into the stream, each once.

How far a file is stands in Redis beside the stream and changes with it, so a sender that was killed goes on
where it was, and two senders do no harm.
"""

import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from apps.logship import block_stream, log_files
from apps.logship.block_stream import SendOutcome
from apps.logship.log_files import LogFile
from apps.redis_kit import client, fault_injection

#: Seconds between two looks at a stream that is full, and at a Redis that is away or has no memory.
FULL_PAUSE_SECONDS, AWAY_PAUSE_SECONDS = 0.05, 1.0
#: Seconds between two looks at files that grow.
FOLLOW_SECONDS = 1.0

#: (path, bytes, time of change) of a file.
Stamp = tuple[str, int, int]


class EndedFile(NamedTuple):
    """A file that this process has sent to its end, and where that is."""

    name: str
    end: int


log = logging.getLogger(__name__)
_ended_files: dict[Stamp, EndedFile] = {}


class Stopped(Exception):  # noqa: N818 - not an error
    """`stop` was set while the sender worked."""


class Shipped(NamedTuple):
    """What one look at the files sent, and the files that could not be read to their end."""

    files: int = 0
    sent_bytes: int = 0
    broken: tuple[str, ...] = ()


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
    listed, sent_bytes, broken = log_files.list_paths(paths), 0, []
    for path in listed:
        try:
            sent_bytes += _ship_path(path, stop)
        except log_files.BadFile as error:
            broken.append(str(error))
    return Shipped(len(listed), sent_bytes, tuple(broken))


def _ship_path(path: Path, stop: threading.Event) -> int:
    """Send the rest of a file; returns its bytes. One that was sent to its end is not read again."""
    stamp = _stamp(path)
    known = _ended_files.get(stamp) if stamp else None
    if known and _read_sent(known.name, stop) == known.end:
        return 0
    file = log_files.identify(path)
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
    for piece in log_files.read_pieces(file, position):
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


def _send(name: str, piece: log_files.Piece, stop: threading.Event) -> block_stream.Sending:
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
