"""The index of names: follows the rows, and is brought back from them.

A change reads the rows after its commit under a number that it took before: what was read later wins, so two
changes of one name may arrive in any order. A rebuild writes into the live index and takes out what is no row
any more, so that suggestions work all the time.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from itertools import islice

from apps.redis_kit import client, transport
from apps.redis_kit.autocomplete.name_index import NameIndex
from apps.search import keys
from apps.search.suggest.sources import SOURCES, Source
from apps.web import batches

log = logging.getLogger(__name__)
#: Names a script call writes: about 10 ms of Redis.
BATCH_SIZE = 200
#: Each band reaches ten times as far as the next: from 1,000, from 100, from 10, and the rest.
BANDS = 4


def index_for(kind: str) -> NameIndex:
    """The index of a kind of names."""
    bands = [keys.SUGGEST_NAMES(kind=kind, band=band) for band in range(1, BANDS + 1)]
    return NameIndex(keys.SUGGEST_RECORDS(kind=kind), keys.SUGGEST_VOCABULARY(kind=kind), bands)


def update(kind: str, ids: Collection[int]) -> None:
    """Make the index know these ids as SQL does now. Raises client.UNAVAILABLE."""
    index, source = index_for(kind), SOURCES[kind]
    for batch in batches.chunked(ids, BATCH_SIZE):
        index.put(index.next_reading(), source.names(batch))


def rebuild(report: Callable[[int, int], None]) -> int:
    """Write every name again and take out those of rows that are gone; returns how many rows there are."""
    total = sum(source.rows().count() for source in SOURCES.values())
    done = 0
    for kind, source in SOURCES.items():
        for batch in batches.iter_pk_chunks(source.rows(), BATCH_SIZE):
            update(kind, batch)
            done += len(batch)
            report(done, max(done, total))
        _remove_deleted(kind, source)
        index_for(kind).mark_complete()
    return done


def rebuild_if_incomplete() -> bool:
    """Rebuild when Redis lost an index or has never had one; returns whether it did."""
    commands = [("HGET", keys.SUGGEST_RECORDS(kind=kind), "complete") for kind in SOURCES]
    if all(transport.execute_many(client.get(), commands)):
        return False
    rebuild(lambda _done, _total: None)
    return True


def _remove_deleted(kind: str, source: Source) -> None:
    for ids in iter_indexed_ids(kind):
        known = set(source.rows().filter(pk__in=ids).values_list("pk", flat=True))
        update(kind, [one for one in ids if one not in known])


def iter_indexed_ids(kind: str) -> Iterator[list[int]]:
    """Ids that the index has or has had, in lists."""
    records = client.get().hscan_iter(keys.SUGGEST_RECORDS(kind=kind), count=BATCH_SIZE)
    while some := list(islice(records, BATCH_SIZE)):
        yield [int(name) for name, _record in some if name.isdigit()]
