"""Imports MaxMind's GeoLite2 City files into a new table, and makes it the live one.

An import that died goes on after its last batch when it is started again with the same files. Readers see the
old table until the new one is whole.
"""

import base64
import csv
import io
import json
import re
import struct
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from socket import AF_INET, AF_INET6, inet_pton
from typing import IO, Any, NamedTuple

from django.utils import timezone

from apps.geoip import keys, locating, pages
from apps.redis_kit import client

#: Ranges, and cities, written in one transaction.
BATCH_SIZE = 20_000
BUILDING_TTL = timedelta(days=7)
#: Called with (file, rows done).
Progress = Callable[[str, int], object]
#: As redis-py's stub wants the fields of a hash.
Fields = dict[
    bytes | bytearray | memoryview | str | int | float, bytes | bytearray | memoryview | str | int | float
]
_BLOCKS = re.compile(r"-blocks-ipv[46]\.csv$")
_LOCATIONS = re.compile(r"-locations-(en|zh-cn)\.csv$")
#: What other systems put into an archive beside its files: a Mac's icons and halves of files.
_OF_ANOTHER_SYSTEM = re.compile(r"(?:^|[/\\])(?:__macosx[/\\]|\.[^/\\]*$)")
_CITY_COLUMNS = ("geoname_id", "city_name", "country_iso_code")
#: A line of a city has some hundred bytes; a zip of some kilobytes unpacks to a line of gigabytes.
MAX_LINE_BYTES = 64 * 1024


class Imported(NamedTuple):
    """The numbers of an import; `resumed_at` counts the ranges that an earlier one had written."""

    ranges: int
    cities: int
    resumed_at: int


class _Done(NamedTuple):
    """How far an import is: files done, rows done of the next one, ranges written, and the pages that
    the next ranges may still add to.
    """

    files: int = 0
    rows: int = 0
    ranges: int = 0
    tail: tuple[str, ...] = ()


class BadFile(ValueError):
    """A file that is not what MaxMind publishes; the text names file and line."""


@dataclass(frozen=True)
class SourceFile:
    """One CSV file; `size` in bytes, `member` is its name inside a zip."""

    path: Path
    member: str
    size: int
    #: Changes when the file does.
    stamp: int

    @property
    def name(self) -> str:
        return self.member or self.path.name

    @property
    def kind(self) -> str:
        """The last part of its name in small letters, as some systems make them capital; "" for their own."""
        name = self.name.lower()
        return "" if _OF_ANOTHER_SYSTEM.search(name) else re.split(r"[/\\]", name)[-1]

    @property
    def is_blocks(self) -> bool:
        return bool(_BLOCKS.search(self.kind))

    @property
    def language(self) -> str:
        """ "en" or "zh-CN" for a file of cities' names, else ""."""
        match = _LOCATIONS.search(self.kind)
        return match[1].replace("cn", "CN") if match else ""

    @property
    def signature(self) -> list[object]:
        """What another import of the same file has too."""
        return [self.name, self.size, self.stamp]

    def rows(self, *columns: str) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, these columns' values); BadFile for a file without them or a broken line."""
        with self._open() as binary:
            # Three times as fast as the zip's own reader.
            buffered: Any = io.BufferedReader(binary)
            reader = csv.reader(self._read_lines(buffered))
            try:
                header = next(reader, [])
                if missing := [column for column in columns if column not in header]:
                    raise BadFile(f"{self.name} has no column {missing[0]}")
                at = [header.index(column) for column in columns]
                for row in filter(_has_text, reader):
                    yield reader.line_num, [row[index] for index in at]
            except (IndexError, UnicodeDecodeError, csv.Error, zipfile.BadZipFile) as error:
                raise BadFile(f"{self.name}, line {reader.line_num + 1}: the line is broken") from error

    def _read_lines(self, binary: IO[bytes]) -> Iterator[str]:
        """Yield the file's lines; BadFile for a longer one than any city's, before it is read to its end."""
        number = 0
        while line := binary.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise BadFile(f"{self.name}, line {number}: the line is longer than {MAX_LINE_BYTES} bytes")
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")

    def _open(self) -> IO[bytes]:
        return zipfile.ZipFile(self.path).open(self.member) if self.member else self.path.open("rb")


def import_files(sources: list[SourceFile], progress: Progress = lambda name, rows: None) -> Imported:
    """Build the table of the given files and switch to it; calls `progress(file, rows done)`.

    Raises BadFile, and nothing has changed for readers; or one of client.UNAVAILABLE.
    """
    signature = [source.signature for source in sources]
    start = _read_done(signature)
    if start is None:
        client.get().delete(keys.BUILDING())
        start = _Done()
    table, blocks = _TableWriter(signature, start), [source for source in sources if source.is_blocks]
    for source in blocks[start.files :]:
        table.write_file(source, progress)
    cities = _write_cities([source for source in sources if source.language])
    _switch_tables(table.done.ranges, [source.name for source in sources])
    return Imported(table.done.ranges, cities, start.ranges)


def describe() -> dict[str, object]:
    """What the live table is made of: `files`, `ranges`, `imported_at`; {} without one."""
    about = client.get().hget(keys.TABLE(), "about")
    return dict(json.loads(str(about))) if about else {}


class _TableWriter:
    """Writes the ranges of files into the table under way, batch by batch."""

    def __init__(self, signature: list[list[object]], done: _Done) -> None:
        self._signature, self.done = signature, done
        self._pages = _read_pages(done.tail)
        #: Prefix of a layout -> its last page.
        self._tail = {field.rpartition(":")[0]: field for field in done.tail}

    def write_file(self, source: SourceFile, progress: Progress) -> None:
        """Add a file's ranges, from where an earlier import of it stopped."""
        ranges = read_ranges(source, self.done.rows)
        while batch := list(islice(ranges, BATCH_SIZE)):
            for layout, block in batch:
                if block.city:
                    for field, entry in pages.split(layout, *block):
                        self._pages[field].append(entry)
                        self._tail[layout.prefix] = field
            written = sum(1 for _layout, block in batch if block.city)
            self._write(
                self.done._replace(
                    rows=self.done.rows + len(batch),
                    ranges=self.done.ranges + written,
                    tail=tuple(self._tail.values()),
                )
            )
            progress(source.name, self.done.rows)
        self._write(self.done._replace(files=self.done.files + 1, rows=0))

    def _write(self, done: _Done) -> None:
        """Write the pages with the progress, in one transaction; keep those that may still grow."""
        values: Fields = {field: pages.encode(b"".join(entries)) for field, entries in self._pages.items()}
        values["progress"] = json.dumps([self._signature, done])
        with client.get().pipeline(transaction=True) as pipe:
            pipe.hset(keys.BUILDING(), mapping=values)
            pipe.expire(keys.BUILDING(), BUILDING_TTL)
            pipe.execute()
        self.done = done
        kept = {field: self._pages[field] for field in done.tail}
        self._pages = defaultdict(list, kept)


def _read_done(signature: list[list[object]]) -> _Done | None:
    """How far an import of the same files came before it died; None without one."""
    stored = client.get().hget(keys.BUILDING(), "progress")
    if not stored:
        return None
    known, (files, rows, ranges, tail) = json.loads(str(stored))
    return _Done(files, rows, ranges, tuple(tail)) if known == signature else None


def _read_pages(fields: Iterable[str]) -> defaultdict[str, list[bytes]]:
    found: defaultdict[str, list[bytes]] = defaultdict(list)
    for field in fields:
        found[field].append(base64.b64decode(str(client.get().hget(keys.BUILDING(), field) or "")))
    return found


def _write_cities(sources: list[SourceFile]) -> int:
    cities, count = read_cities(sources), 0
    while batch := dict(islice(cities, BATCH_SIZE)):
        values: Fields = {f"c{city}": json.dumps(names, ensure_ascii=False) for city, names in batch.items()}
        client.get().hset(keys.BUILDING(), mapping=values)
        count += len(batch)
    return count


def _switch_tables(ranges: int, names: list[str]) -> None:
    about = {"files": names, "ranges": ranges, "imported_at": timezone.now().isoformat()}
    with client.get().pipeline(transaction=True) as pipe:
        pipe.hset(keys.BUILDING(), "about", json.dumps(about))
        pipe.hdel(keys.BUILDING(), "progress")
        pipe.persist(keys.BUILDING())
        pipe.execute()
    # By itself: a Cluster's pipeline refuses it.
    client.get().rename(keys.BUILDING(), keys.TABLE())
    locating.forget()


def find_files(paths: list[Path]) -> list[SourceFile]:
    """The files of blocks and of locations among these paths and inside zips, blocks of IPv4 first.

    BadFile when one can't be read, or when blocks or locations are missing.
    """
    try:
        found = [source for path in paths for source in _files_of(path)]
    except (OSError, zipfile.BadZipFile) as error:
        raise BadFile(str(error)) from error
    found = [one for one in found if one.is_blocks or one.language]
    found.sort(key=lambda one: (one.kind, one.name))
    if not any(one.is_blocks for one in found) or not any(one.language for one in found):
        raise BadFile(
            "give files of blocks (…-Blocks-IPv4.csv) and of names (…-Locations-en.csv), or their zip"
        )
    return found


def read_ranges(source: SourceFile, skipped: int) -> Iterator[tuple[pages.Layout, pages.Range]]:
    """Yield the ranges after the first `skipped` rows; a row without a city has the id 0.

    BadFile for a network that is none, or that is not behind the one before it.
    """
    last_end = -1
    rows = source.rows("network", "geoname_id")
    for number, (line, (network, city)) in enumerate(rows):
        if number < skipped:
            continue
        try:
            version, first, last = parse_network(network)
            block = pages.Range(first, last, int(city or 0))
            layout = pages.choose_layout(version, first, last)
            layout.entry.pack(0, 0, block.city)
        except (ValueError, OSError, struct.error) as error:
            raise BadFile(
                f"{source.name}, line {line}: {network!r:.60}, {city!r:.20} is no network"
            ) from error
        if first <= last_end:
            raise BadFile(f"{source.name}, line {line}: {network} is not behind the line before it")
        last_end = last
        yield layout, block


def parse_network(text: str) -> tuple[int, int, int]:
    """(version, first address, last address); ValueError or OSError for a text that is no network."""
    host, _, length = text.partition("/")
    version, family, width = (6, AF_INET6, 128) if ":" in host else (4, AF_INET, 32)
    first, free = int.from_bytes(inet_pton(family, host)), width - int(length)
    if not 0 <= free <= width or first & (1 << free) - 1:
        raise ValueError(text)
    return version, first, first + (1 << free) - 1


def read_cities(sources: list[SourceFile]) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield (geoname id, (name in English, in Chinese, country's code)) of all files of names."""
    names: dict[int, list[str]] = {}
    for source in sources:
        for line, (city, name, country) in source.rows(*_CITY_COLUMNS):
            if not city.isdigit():
                raise BadFile(f"{source.name}, line {line}: {city!r:.20} is no geoname id")
            known = names.setdefault(int(city), ["", "", country])
            known[source.language == "zh-CN"] = name
    for city_id, (english, chinese, country) in names.items():
        yield city_id, (english, chinese, country)


def _has_text(row: list[str]) -> bool:
    """False for a blank line: editors and downloads leave some, mostly as the last one."""
    return any(cell.strip() for cell in row)


def _files_of(path: Path) -> Iterator[SourceFile]:
    stamp = path.stat().st_mtime_ns
    if path.suffix.lower() != ".zip":
        yield SourceFile(path, "", path.stat().st_size, stamp)
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            yield SourceFile(path, member.filename, member.file_size, stamp)
