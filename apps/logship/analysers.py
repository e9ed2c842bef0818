"""The two analysers of the site's access log: visits per city and day, and the slowest paths of a day.

A line is a JSON object (access_log.py). Lines that the site wrote have their members in one order and are
read by a pattern, many times as fast as by json; a block with any other line is read line by line.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from typing import Any

from django.db.models import F
from django.db.models.functions import Greatest

from apps.logship import block_stream
from apps.logship.analysing import Analyser, Reader
from apps.logship.models import CityVisits, PathTimes

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


PathDay = tuple[date, str]


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
