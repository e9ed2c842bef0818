"""Writes documents to a generation of the index: each in one atomic call that refuses older versions."""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from apps.redis_kit import client, scripts, transport
from apps.search import keys
from apps.search.index import generations, name_places, vocabulary
from apps.search.index.records import Entry, Record
from apps.web import batches

#: Each try reads the document again, and one writer of each document wins each round.
MAX_TRIES = 50
#: Documents of one round trip: Redis serves others between two, and a slow one stays within its deadline.
CALLS_AT_ONCE = 20


class Contended(RuntimeError):
    """Other writers came first every time: the caller's rows wait for the next sweep."""


class PutOutcome(IntEnum):
    """The answers of put_document.lua."""

    MOVED = -1
    OLDER = 0
    DONE = 1


PUT_DOCUMENT = scripts.Script("put_document", package="apps.search.index", reply=PutOutcome)


def put(kind: str, generation: int, entries: Sequence[Entry]) -> None:
    """Bring these documents into a generation, each unless that has a newer version; few round trips.

    Raises Contended when other writers of some came first MAX_TRIES times.
    """
    vocabulary.add(kind, generation, {term for entry in entries for term in entry.weights})
    name_places.put(kind, generation, entries)
    average = read_average(kind, generation)
    waiting = list(entries)
    for _ in range(MAX_TRIES):
        waiting = [
            entry
            for some in batches.chunked(waiting, CALLS_AT_ONCE)
            for entry in _put_once(kind, generation, some, average)
        ]
        if not waiting:
            return
    raise Contended(f"{len(waiting)} documents of {kind}, the first {waiting[0].member}")


def _put_once(kind: str, generation: int, entries: Sequence[Entry], average: float) -> Iterator[Entry]:
    """Try to write these documents in one round trip; yield those that another writer changed first."""
    calls = [
        _build_call(kind, generation, entry, average, *stored)
        for entry, stored in zip(entries, _read_stored(kind, generation, entries), strict=True)
    ]
    outcomes, _replies = PUT_DOCUMENT.call_many(client.get(), calls)
    yield from (entry for entry, how in zip(entries, outcomes, strict=True) if how is PutOutcome.MOVED)


def read_average(kind: str, generation: int) -> float:
    """The average length with which the weights of a generation are computed."""
    command = ("HGET", keys.STATS(kind=kind, generation=generation), "average")
    return float(transport.execute(client.get(), command) or 1)


def _read_stored(kind: str, generation: int, entries: Sequence[Entry]) -> list[tuple[str, Record | None]]:
    """("version:write", record) of each document as the index has it now."""
    wanted = [entry.member for entry in entries]
    versions, records = transport.execute_many(
        client.get(),
        [
            ("HMGET", keys.VERSIONS(kind=kind, generation=generation), *wanted),
            ("HMGET", keys.RECORDS(kind=kind, generation=generation), *wanted),
        ],
    )
    return [(version or "", Record.parse(raw)) for version, raw in zip(versions, records, strict=True)]


def _build_call(
    kind: str, generation: int, entry: Entry, average: float, stamp: str, old: Record | None
) -> scripts.Call:
    new = entry.record
    length = new.length if new else 0
    scores = entry.compute_weights(average)
    left_terms = [term for term in old.unique_terms() if term not in entry.weights] if old else []
    # A removed document leaves the order of all, even one that was never there: a script needs some list.
    left_orders = [name for name in {generations.ALL: 0.0, **orders_of(old)} if name not in orders_of(new)]
    left, entered = _set_changes(old, new)
    named = keys.generation_parts(kind, generation)
    touched = [
        *keys.POSTINGS.build_many("term", left_terms, **named),
        *keys.ORDER.build_many("order", left_orders, **named),
        *keys.POSTINGS.build_many("term", list(entry.weights), **named),
        *keys.ORDER.build_many("order", list(orders_of(new)), **named),
        *keys.FACET.build_many("value", [*left, *entered], **named),
    ]
    place = new.place if new else None
    args = [
        entry.member,
        entry.version,
        stamp,
        new.format() if new else "",
        old.length if old else 0,
        length,
        *((place[1], place[0]) if place else ("", "")),
        len(left_terms) + len(left_orders),
        len(scores) + len(orders_of(new)),
        len(left),
        len(entered),
        *scores,
        *orders_of(new).values(),
        *left,
        *entered,
    ]
    return fixed_keys(kind, generation) + touched, args


def fixed_keys(kind: str, generation: int) -> list[str]:
    """The first keys of the scripts that write documents."""
    declared = (keys.VERSIONS, keys.RECORDS, keys.STATS, keys.VALUES, keys.PLACES)
    return [key(kind=kind, generation=generation) for key in declared]


def orders_of(record: Record | None) -> dict[str, float]:
    """The scores of a document by order; everyone is in the order of all."""
    return {**record.orders, generations.ALL: 0.0} if record else {}


def _set_changes(old: Record | None, new: Record | None) -> tuple[list[str], list[str]]:
    before, after = (set(record.values) if record else set() for record in (old, new))
    return sorted(before - after), sorted(after - before)
