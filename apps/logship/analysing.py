"""Analysers of the access log: visits per city and day, and the slowest paths of a day.

Blocks become lines, lines become numbers, and numbers and offsets one commit. How far each file is counted
is in SQL beside the numbers and changes in the same transaction, so no line is counted twice: not after
kill -9, not when Redis lost everything and the files are sent again. Lines that the site wrote have their
members in one order and are read by a pattern, many times as fast as by json; a block with any other line is
read line by line.
"""

import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from django.db import Error as DatabaseError
from django.db import IntegrityError, close_old_connections, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from apps.logship import block_stream
from apps.logship.block_stream import BEGINNING, Block
from apps.logship.models import CityVisits, FilePosition, PathTimes
from apps.redis_kit import client, fault_injection

#: Blocks counted in one commit: 8 MiB of text at most.
MAX_BLOCKS = 64
MAX_LINE_BYTES = 16 * 1024 * 1024
#: Seconds between two looks at a stream that gives nothing, and at a store that is away.
IDLE_SECONDS, AWAY_SECONDS = 1.0, 1.0
#: Rounds without a block until the analyser says again that it lives.
IDLE_ROUNDS = 30

log = logging.getLogger(__name__)

#: Different paths of a day that are told apart: a foreign log may have one a line.
MAX_PATHS, OTHER_PATH = 2_000, "(other)"
MAX_PATH_LENGTH, MAX_CITY_LENGTH = 200, 170
_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_VISIT_PATTERN = re.compile(
    rb'^\{"at":"(\d{4}-\d\d-\d\d)T[^"]*","city":' + _TEXT + rb',"country":"(\w*)","page":(true|false),',
    re.MULTILINE,
)
_TIME_PATTERN = re.compile(
    rb'^\{"at":"(\d{4}-\d\d-\d\d)T.*"path":' + _TEXT + rb',"status":\d+,"ms":(\d+(?:\.\d+)?)\}$', re.MULTILINE
)
#: (day, city, country)
CityDay = tuple[date, str, str]
PathDay = tuple[date, str]


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


class CityCounter:
    """Visits per city and day: lines whose `page` is true."""

    name = "cities"

    def find(self, lines: bytes) -> list[tuple[bytes, ...]]:
        """(day, city as JSON, country, page) of each line that is as the site writes them."""
        return _VISIT_PATTERN.findall(lines)

    def start(self) -> Counter[CityDay]:
        return Counter()

    def gather(self, lines: bytes, into: Counter[CityDay]) -> None:
        found = self.find(lines)
        if len(found) == count_lines(lines):
            for (day, city, country, page), count in Counter(found).items():
                if page == b"true":
                    into[_city_day(_text(day), json.loads(b'"%b"' % city), _text(country))] += count
            return
        for record in read_records(lines):
            with suppress(KeyError, TypeError, ValueError):
                if record["page"] is True:
                    into[_city_day(record["at"], record["city"], record["country"])] += 1

    def write(self, gathered: Counter[CityDay]) -> None:
        for (day, city, country), visits in gathered.items():
            row = CityVisits.objects.filter(day=day, city=city, country=country)
            if not row.update(visits=F("visits") + visits):
                CityVisits.objects.create(day=day, city=city, country=country, visits=visits)


class Times:
    """Requests, milliseconds together and of the slowest."""

    __slots__ = ("requests", "slowest_ms", "total_ms")

    def __init__(self) -> None:
        self.requests, self.total_ms, self.slowest_ms = 0, 0.0, 0.0

    def add(self, milliseconds: float) -> None:
        self.requests += 1
        self.total_ms += milliseconds
        self.slowest_ms = max(self.slowest_ms, milliseconds)


class PathTimer:
    """How long each path takes, by day."""

    name = "paths"

    def find(self, lines: bytes) -> list[tuple[bytes, ...]]:
        """(day, path as JSON, milliseconds) of each line that is as the site writes them."""
        return _TIME_PATTERN.findall(lines)

    def start(self) -> dict[PathDay, Times]:
        return {}

    def gather(self, lines: bytes, into: dict[PathDay, Times]) -> None:
        found = self.find(lines)
        if len(found) == count_lines(lines):
            names: dict[tuple[bytes, bytes], PathDay] = {}
            for day, path, took in found:
                key = names.get((day, path))
                if key is None:
                    key = names[day, path] = _path_day(_text(day), json.loads(b'"%b"' % path))
                _times(into, key).add(float(took))
            return
        for record in read_records(lines):
            with suppress(KeyError, TypeError, ValueError):
                key, milliseconds = _path_day(record["at"], record["path"]), float(record["ms"])
                _times(into, key).add(milliseconds)

    def write(self, gathered: dict[PathDay, Times]) -> None:
        for (day, path), times in gathered.items():
            if not self._add(day, path, times) and not self._create(day, path, times):
                self._add(day, OTHER_PATH, times) or self._create(day, OTHER_PATH, times)

    def _add(self, day: date, path: str, times: Times) -> bool:
        row = PathTimes.objects.filter(day=day, path=path)
        return bool(
            row.update(
                requests=F("requests") + times.requests,
                total_ms=F("total_ms") + times.total_ms,
                slowest_ms=Greatest(F("slowest_ms"), times.slowest_ms),
            )
        )

    def _create(self, day: date, path: str, times: Times) -> bool:
        """Create the row of a path, unless the day has too many."""
        if path != OTHER_PATH and PathTimes.objects.filter(day=day).count() >= MAX_PATHS:
            return False
        PathTimes.objects.create(
            day=day,
            path=path,
            requests=times.requests,
            total_ms=times.total_ms,
            slowest_ms=times.slowest_ms,
        )
        return True


#: By name, as `analyse_logs` takes them.
ANALYSERS: dict[str, Callable[[], Analyser]] = {kind.name: kind for kind in (CityCounter, PathTimer)}


def open_readers(only: str | None = None) -> list[Reader]:
    """A reader for each analyser, or for the one of that name.

    All have their groups first: a quick one must not free what another has not read. Raises UNAVAILABLE.
    """
    for name in ANALYSERS:
        block_stream.settle(name)
    return [Reader(make()) for name, make in ANALYSERS.items() if only in (None, name)]


def count_lines(lines: bytes) -> int:
    """The lines of a block; the last one may be without its end."""
    return lines.count(b"\n") + (not lines.endswith(b"\n"))


def read_records(lines: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a block; a line that is none is left out."""
    for line in lines.splitlines():
        with suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def _city_day(at: str, city: str, country: str) -> CityDay:
    return date.fromisoformat(at[:10]), str(city)[:MAX_CITY_LENGTH], str(country)[:2]


def _path_day(at: str, path: str) -> PathDay:
    return date.fromisoformat(at[:10]), str(path).replace("\x00", "")[:MAX_PATH_LENGTH]


def _times(into: dict[PathDay, Times], key: PathDay) -> Times:
    times = into.get(key)
    if times is None:
        times = into[key] = Times()
    return times


def _text(raw: bytes) -> str:
    return raw.decode()
