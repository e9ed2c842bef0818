"""Imports MaxMind's GeoLite2 City files into a new table, and makes it the live one.

An import that died goes on after its last batch when it is started again with the same files. Readers see the
old table until the new one is whole.
"""

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from django.utils import timezone

from apps.geoip import keys, locating, pages, source_files
from apps.geoip.source_files import SourceFile
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


def import_files(sources: list[SourceFile], progress: Progress = lambda name, rows: None) -> Imported:
    """Build the table of these files and switch to it; calls `progress(file, rows done)`.

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
        ranges = source_files.read_ranges(source, self.done.rows)
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
    cities, count = source_files.read_cities(sources), 0
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
