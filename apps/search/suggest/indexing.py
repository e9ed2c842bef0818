"""The index of names: follows the rows, is filled anew at night, and is compared with them by counts.

A change reads the rows after its commit under a number that it took before: what was read later wins, so two
changes of one name may arrive in any order; each hour all names are read again. A rebuild fills an index
beside the live one, while changes go to both, and puts it in its place.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice

from celery import shared_task

from apps.queues import owed
from apps.redis_kit import client, locks, transport
from apps.redis_kit.autocomplete.name_index import NameIndex
from apps.redis_kit.findings import Finding
from apps.search import keys
from apps.search.index import rebuilding
from apps.search.suggest import words
from apps.search.suggest.sources import SOURCES, Source
from apps.web import batches

#: Names a script call writes: about 10 ms of Redis.
BATCH_SIZE = 200
#: Each band reaches ten times as far as the next: from 1,000, from 100, from 10, and the rest.
BANDS = 4
ReportProgress = Callable[[int, int], object]
log = logging.getLogger(__name__)
#: Ids of one task's message.
MAX_IDS = 1_000
LOCK_SECONDS = 600


def index_for(kind: str) -> NameIndex:
    """The live index of a kind of names."""
    bands = [keys.SUGGEST_NAMES(kind=kind, band=band) for band in range(1, BANDS + 1)]
    return NameIndex(keys.SUGGEST_RECORDS(kind=kind), keys.SUGGEST_VOCABULARY(kind=kind), bands)


def next_index_for(kind: str) -> NameIndex:
    """The index that a rebuild fills."""
    bands = [keys.SUGGEST_NEXT_NAMES(kind=kind, band=band) for band in range(1, BANDS + 1)]
    return NameIndex(keys.SUGGEST_NEXT_RECORDS(kind=kind), keys.SUGGEST_NEXT_VOCABULARY(kind=kind), bands)


def record_change(kind: str, ids: Sequence[int]) -> None:
    """Have the names of changed things read again after the commit; a listener of web.findable.CHANGED."""
    owed.run_after_commit(send_updates, kind, list(ids))


def send_updates(kind: str, ids: list[int]) -> None:
    """Have a worker read the names of the given things again."""
    for start in range(0, len(ids), MAX_IDS):
        update_names.apply_async((kind, ids[start : start + MAX_IDS]), retry=False)


@shared_task(name="search.update_names", ignore_result=True)
def update_names(kind: str, ids: list[int]) -> None:
    """Read these names again. While Redis is away the hourly task does it later."""
    try:
        update(kind, ids)
    except client.UNAVAILABLE as error:
        log.warning("%d names wait for the hourly run, Redis is away: %s", len(ids), error)


def update(kind: str, ids: Collection[int]) -> None:
    """Make the index know these ids as SQL does now. Raises client.UNAVAILABLE."""
    filling = next_index_for(kind)
    # The filled one first: if it takes the other's place in between, the second write still finds it.
    indexes = [filling, index_for(kind)] if filling.is_filling() else [index_for(kind)]
    for batch in batches.chunked(ids, BATCH_SIZE):
        readings = [index.next_reading() for index in indexes]
        names = SOURCES[kind].names(batch)
        for index, reading in zip(indexes, readings, strict=True):
            index.put(reading, names)


@shared_task(name="search.rebuild_names", ignore_result=True)
def rebuild_names(*, only_if_incomplete: bool = False) -> None:
    """Hourly: read all names and words again, for changed popularity and lost tasks."""
    work = _rebuild_missing if only_if_incomplete else _refresh_all
    try:
        locks.run_exclusively("search.names", work, lease=LOCK_SECONDS)
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the names wait: %s", error)


def _rebuild_missing() -> bool:
    words.rebuild_if_missing()
    return rebuild_if_incomplete()


def _refresh_all() -> int:
    words.rebuild(_ignore_progress)
    return refresh()


def _ignore_progress(_done: int, _total: int) -> None:
    """Takes the progress of a rebuild that is not shown anywhere."""


def refresh() -> int:
    """Read every name again, for changed popularity and lost tasks; returns how many rows there are."""
    done = 0
    for kind, source in SOURCES.items():
        for batch in batches.iter_pk_chunks(source.rows(), BATCH_SIZE):
            update(kind, batch)
            done += len(batch)
        for ids in _iter_indexed_ids(kind):
            known = set(source.rows().filter(pk__in=ids).values_list("pk", flat=True))
            update(kind, [one for one in ids if one not in known])
    return done


def rebuild(report: ReportProgress = lambda _done, _total: None) -> int:
    """Fill the indexes of all kinds anew; returns how many rows there are."""
    total = sum(source.rows().count() for source in SOURCES.values())
    done = 0
    for kind in SOURCES:
        done += rebuild_kind(kind, partial(_report_from, report, done, total))
    return done


def rebuild_kind(kind: str, report: Callable[[int], object] = lambda _done: None) -> int:
    """Fill the index of a kind anew; returns its number of rows, 0 while another process fills it."""
    try:
        # Without a lease of its own: the watchdog lets go half a minute after this process died.
        with locks.lock(f"search.names.{kind}", wait=0) as hold:
            done = _fill_next(kind, SOURCES[kind], report)
            # A process that was frozen meanwhile would put what another one fills in place.
            hold.check()
            next_index_for(kind).replace(index_for(kind))
            return done
    except locks.NotAcquired:
        return 0


def rebuild_if_incomplete() -> bool:
    """Rebuild when Redis lost an index or has never had one; returns whether it did."""
    missing = [kind for kind in SOURCES if not _is_complete(kind)]
    for kind in missing:
        rebuild_kind(kind)
    return bool(missing)


def _fill_next(kind: str, source: Source, report: Callable[[int], object]) -> int:
    filled, done = next_index_for(kind), 0
    filled.begin()
    for batch in batches.iter_pk_chunks(source.rows(), BATCH_SIZE):
        rebuilding.write_patiently(partial(_put, filled, source, batch))
        done += len(batch)
        report(done)
    filled.mark_complete()
    return done


def _put(filled: NameIndex, source: Source, ids: Sequence[int]) -> None:
    filled.put(filled.next_reading(), source.names(ids))


def _report_from(report: ReportProgress, before: int, total: int, done: int) -> None:
    report(before + done, max(before + done, total))


def compare_counts(fix: bool) -> Iterator[Finding]:
    """Yield each complete index that lacks rows, with how many it has and should have; `fix` adds them."""
    for kind, source in SOURCES.items():
        if not _is_complete(kind):
            continue
        total, missing = 0, list[int]()
        for ids in batches.iter_pk_chunks(source.rows(), BATCH_SIZE):
            absent = _list_missing(kind, _list_missing(kind, ids))
            # Rows that are not shown have no names: people of load tests, closed shops.
            missed = [one.id for one in source.names(absent) if one.spellings]
            total += len(ids) - len(absent) + len(missed)
            missing += missed
        if fix:
            update(kind, missing)
        if missing:
            yield Finding(kind, "names", str(total - len(missing)), str(total))


def _is_complete(kind: str) -> bool:
    command = ("HGET", keys.SUGGEST_RECORDS(kind=kind), "complete")
    return bool(transport.execute(client.get(), command))


def _list_missing(kind: str, ids: list[int]) -> list[int]:
    if not ids:
        return []
    records = transport.execute(client.get(), ("HMGET", keys.SUGGEST_RECORDS(kind=kind), *ids))
    return [one for one, record in zip(ids, records, strict=True) if record is None]


def _iter_indexed_ids(kind: str) -> Iterator[list[int]]:
    """Ids that the index has or has had, in lists."""
    records = client.get().hscan_iter(keys.SUGGEST_RECORDS(kind=kind), count=BATCH_SIZE)
    while some := list(islice(records, BATCH_SIZE)):
        yield [int(name) for name, _record in some if name.isdigit()]
