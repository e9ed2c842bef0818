"""Brings what changed in SQL into the index, batch by batch.

A worker that dies leaves the rows waiting, and the next sweep takes them. A row counts the changes of its
thing, and the index refuses a lower count, so slow writers do no harm.
"""

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from apps.redis_kit import client, fault_injection, transport
from apps.search import keys
from apps.search.index import generations, records, writing
from apps.search.models import IndexEntry
from apps.web.findable import KINDS, Kind

#: Things of one batch, and batches of one task.
BATCH_SIZE, MAX_BATCHES = 200, 50


class Waiting(NamedTuple):
    """A row that waits: its primary key, and what it said when it was read."""

    pk: int
    kind: str
    object_id: int
    version: int


def index_waiting() -> int:
    """Bring everything that waits into the index; returns how many things it was."""
    transport.execute(client.get(), ("DEL", keys.QUEUED()))
    kinds, done = list(generations.all_live()), 0
    for _ in range(MAX_BATCHES if kinds else 0):
        rows = _read_waiting(kinds)
        done += index_rows(rows)
        if len(rows) < BATCH_SIZE:
            break
    return done


def index_rows(rows: Sequence[Waiting]) -> int:
    """Bring these rows' things into the index; returns how many, without kinds that have no index yet."""
    finished: list[Waiting] = []
    for kind in sorted({row.kind for row in rows}):
        mine = [row for row in rows if row.kind == kind]
        if put_versions(kind, {row.object_id: row.version for row in mine}):
            finished += mine
    _mark_finished(finished)
    return len(finished)


def put_versions(kind: str, versions: dict[int, int]) -> bool:
    """Write things in these versions, or their absence, to every generation; False when there is none."""
    written = generations.written(kind)
    if not written or KINDS.get(kind) is None:
        return False
    entries = records.load_entries(kind, versions)
    fault_injection.point("index_read")
    for generation in written:
        writing.put(kind, generation, entries)
    return True


def remove_past() -> int:
    """Take out documents whose window is over, which time and no change of theirs ended; how many."""
    return sum(_remove_past_of(kind) for kind in KINDS.entries() if kind.window)


def _remove_past_of(kind: Kind) -> int:
    generation = generations.live(kind.name)
    if generation is None or kind.window is None:
        return 0
    ends = keys.ORDER(kind=kind.name, generation=generation, order=kind.window[1])
    over = ("ZRANGE", ends, "-inf", f"({time.time()}", "BYSCORE", "LIMIT", 0, BATCH_SIZE)
    ids = [records.decode_member(member) for member in transport.execute(client.get(), over)]
    if ids:
        put_versions(kind.name, read_versions(kind.name, ids))
    return len(ids)


def read_versions(kind: str, ids: Collection[int]) -> dict[int, int]:
    """The version of each thing; 0 for one that never changed since it was imported."""
    rows = IndexEntry.objects.filter(kind=kind, object_id__in=ids).values_list("object_id", "version")
    return dict.fromkeys(ids, 0) | dict(rows)


def _read_waiting(kinds: list[str]) -> list[Waiting]:
    rows = IndexEntry.objects.filter(is_waiting=True, kind__in=kinds).order_by("changed_at")
    return [Waiting(*row) for row in rows.values_list(*Waiting._fields)[:BATCH_SIZE]]


def _mark_finished(rows: Sequence[Waiting]) -> None:
    """End the wait of rows that did not change since they were read."""
    table = IndexEntry._meta.db_table
    sql = f"UPDATE {table} SET is_waiting = %s WHERE id = %s AND version = %s"  # noqa: S608
    if rows:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(sql, [(False, row.pk, row.version) for row in rows])
