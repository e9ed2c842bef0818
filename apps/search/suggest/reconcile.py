"""Compares the index of names that suggestions come from with SQL's rows."""

from collections.abc import Iterable, Iterator
from functools import partial

from apps.monitoring.reconcile import parts
from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.search import keys
from apps.search.suggest import indexing
from apps.search.suggest.sources import SOURCES, Source
from apps.web import batches


def find_differences(fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
    """Yield the last id of each batch past the id `after`, with its differences; of all sources in turn."""
    yield from parts.in_turn(*(partial(_compare, source) for source in SOURCES.values()))(fix, after)


def _compare(source: Source, fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield names that the index has otherwise than SQL, each compared twice, and strangers at the end.

    An index that is not complete answers nobody; the task that runs each minute fills it.
    """
    records = keys.SUGGEST_RECORDS(kind=source.kind)
    if not transport.execute(client.get(), ("HGET", records, "complete")):
        return
    for ids in batches.iter_pk_chunks(source.rows(), indexing.BATCH_SIZE, after=after):
        yield ids[-1], _check_names(source, ids, fix=fix)
    yield after, _check_unknown(source, fix=fix)


def _check_unknown(source: Source, *, fix: bool) -> Iterator[Finding]:
    """Names of rows that are gone, and members that are no names."""
    for ids in indexing.iter_indexed_ids(source.kind):
        known = set(source.rows().filter(pk__in=ids).values_list("pk", flat=True))
        yield from _check_names(source, [one for one in ids if one not in known], fix=fix)
    yield from _check_strangers(source.kind, fix=fix)


def _check_names(source: Source, ids: list[int], *, fix: bool) -> Iterator[Finding]:
    index = indexing.index_for(source.kind)
    suspects = index.find_wrong(source.names(ids))
    wrong = index.find_wrong(source.names(suspects))
    if fix and wrong:
        # Forgotten first: a record that is right keeps its lists as they are.
        index.forget(wrong)
        indexing.update(source.kind, wrong)
    for number in wrong:
        yield Finding(f"{source.kind} {number}", "name", "other names", "its row's names")


def _check_strangers(kind: str, *, fix: bool) -> Iterator[Finding]:
    index = indexing.index_for(kind)
    suspects = set(index.find_strangers())
    found = sorted(suspects & set(index.find_strangers())) if suspects else []
    if fix:
        index.remove(found)
    for _band, member in found:
        yield Finding(kind, "stranger", repr(member), "")
