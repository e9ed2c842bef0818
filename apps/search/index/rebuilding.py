"""Rebuilds the index from SQL: the next generation beside the live one, then one key is switched."""

import time
from collections.abc import Callable
from functools import partial

from apps.redis_kit import client, fault_injection, locks
from apps.search.index import draining, generations, records, writing
from apps.search.text import terms
from apps.web.findable import KINDS, Kind

ReportProgress = Callable[[int, int], object]
BATCH_SIZE = 200
#: Documents whose texts are read for the average length of a kind without an index, spread over all of them.
SAMPLE_SIZE = 2_000
#: A batch that Redis doesn't take in time is sent again after each of these, in seconds: less than all anew.
PAUSES = (0.5, 2.0, 5.0)


def rebuild(report: ReportProgress = lambda _done, _total: None) -> int:
    """Rebuild every kind; reports (done, total), returns the number of documents."""
    totals = {name: sum(map(len, kind.pk_chunks())) for name, kind in KINDS.items()}
    done, total = 0, sum(totals.values())
    for name in totals:
        done += rebuild_kind(name, partial(_report_from, report, done, total))
    return done


def rebuild_kind(name: str, report: ReportProgress = lambda _done, _total: None) -> int:
    """Rebuild one kind; returns its number of documents, 0 while another process rebuilds it."""
    try:
        # Without a lease of its own: the watchdog lets go half a minute after this process died.
        with locks.lock(f"search.rebuild.{name}", wait=0):
            return _rebuild(records.kind_named(name), report)
    except locks.NotAcquired:
        return 0


def rebuild_missing() -> list[str]:
    """Rebuild the kinds that have no index as queries need it; returns their names.

    After a loss of Redis, or when a new version of the site keeps more of each document.
    """
    missing = generations.list_missing()
    for name in missing:
        rebuild_kind(name)
    return missing


def _report_from(report: ReportProgress, before: int, total: int, done: int, _of_kind: int) -> None:
    report(before + done, total)


def _rebuild(kind: Kind, report: ReportProgress) -> int:
    generations.expire_unfinished(kind.name)
    total, average = _measure(kind)
    generation = generations.begin(kind.name, average)
    done = 0
    for ids in kind.pk_chunks():
        for first in range(0, len(ids), BATCH_SIZE):
            some = ids[first : first + BATCH_SIZE]
            # Versions first: a document may be newer than its version, never older.
            entries = records.load_entries(kind.name, draining.read_versions(kind.name, some))
            write_patiently(partial(writing.fill, kind.name, generation, entries))
            done += len(some)
            report(done, max(done, total))
        generations.renew(kind.name)
    fault_injection.point("index_filled")
    generations.switch(kind.name, generation)
    return done


def write_patiently(write: Callable[[], object]) -> None:
    """Call a function that may run twice; while Redis doesn't answer in time, again after each of PAUSES."""
    for pause in PAUSES:
        try:
            write()
        except client.UNAVAILABLE:
            time.sleep(pause)
        else:
            return
    write()


def _measure(kind: Kind) -> tuple[int, float]:
    """(number of documents, average length): of the live index, or by a sample of texts the first time."""
    generation = generations.live(kind.name)
    stats = generations.read_stats(kind.name, generation) if generation else {}
    if stats.get("documents"):
        return int(stats["documents"]), stats["terms"] / stats["documents"]
    total = sum(map(len, kind.pk_chunks()))
    step = max(1, total // SAMPLE_SIZE)
    lengths = [
        terms.count(document.texts, kind.fields)
        for ids in kind.pk_chunks()
        for document in records.load_documents(kind, ids[::step])
    ]
    return total, sum(lengths) / len(lengths) if lengths else generations.FIRST_AVERAGE
