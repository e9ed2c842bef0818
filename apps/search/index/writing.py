"""Writes documents to a generation of the index: each in one atomic call that refuses older versions.

A rebuild writes list by list instead: a common word's list takes the documents of a batch in one command,
which costs a third of one command each. In the orders by name each document has a place as names are read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TypedDict

from apps.redis_kit import client, scripts, transport
from apps.redis_kit.autocomplete.name_order import NameOrder, PlacedName
from apps.search import keys
from apps.search.index import generations, records, vocabulary
from apps.search.index.records import Entry, Record
from apps.web import batches, readings
from apps.web.findable import KINDS

#: Each try reads the document again, and one writer of each document wins each round.
MAX_TRIES = 50
#: Documents of one round trip: Redis serves others between two, and a slow one stays within its deadline.
CALLS_AT_ONCE = 20
#: Documents and postings of one call: some 30 ms of Redis, of which a longer one would save little.
MAX_DOCUMENTS, MAX_POSTINGS = 200, 12_000
PUT_NEW = scripts.Script("put_new_documents", package="apps.search.index", reply=frozenset[str])


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
    put_name_places(kind, generation, entries)
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


def fill(kind: str, generation: int, entries: Sequence[Entry]) -> None:
    """Bring these documents into a generation; those that a change wrote before go document by document."""
    vocabulary.add(kind, generation, {term for entry in entries for term in entry.weights})
    put_name_places(kind, generation, entries)
    average = read_average(kind, generation)
    left = [entry for entry in entries if not entry.record]
    # Short texts weigh more: in this order the server walks along its lists instead of across them.
    for some in _slices(sorted((entry for entry in entries if entry.record), key=_length)):
        left += _put_unknown(kind, generation, some, average)
    put(kind, generation, left)


def _put_unknown(kind: str, generation: int, entries: list[Entry], average: float) -> list[Entry]:
    """Write the given documents that the index does not know; returns the others."""
    known = PUT_NEW(client.get(), **_build_fill_call(kind, generation, entries, average))
    new = [entry for entry in entries if entry.member not in known]
    if not known:
        return []
    if new and PUT_NEW(client.get(), **_build_fill_call(kind, generation, new, average)):
        # Changes write some at this very moment.
        return entries
    return [entry for entry in entries if entry.member in known]


class FillCall(TypedDict):
    keys: list[str]
    args: list[scripts.Arg]


def _build_fill_call(kind: str, generation: int, entries: Sequence[Entry], average: float) -> FillCall:
    postings, orders = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    facets = defaultdict[str, list[str]](list)
    documents: list[scripts.Arg] = []
    for entry in entries:
        record = entry.record
        assert record, "no removal"
        _add_postings(postings, entry, record.length, average)
        for name, score in orders_of(record).items():
            orders[name] += (repr(score), entry.member)
        for value in dict.fromkeys(record.values):
            facets[value].append(entry.member)
        lat, lng = record.place or ("", "")
        documents += (entry.member, entry.version, record.format(), lng, lat)
    named = keys.generation_parts(kind, generation)
    lists = [*postings.values(), *orders.values()]
    entered = [
        *keys.POSTINGS.build_many("term", list(postings), **named),
        *keys.ORDER.build_many("order", list(orders), **named),
        *keys.FACET.build_many("value", list(facets), **named),
    ]
    args = [len(entries), sum(map(_length, entries)), len(lists), *documents]
    for pairs in lists:
        args += (len(pairs) // 2, *pairs)
    for value, members in facets.items():
        args += (value, len(members), *members)
    return FillCall(keys=fixed_keys(kind, generation) + entered, args=args)


def _add_postings(postings: dict[str, list[str]], entry: Entry, length: int, average: float) -> None:
    # Most terms occur once: few different weights are worth writing as texts once.
    shares = entry.in_names
    counted = [(count, shares.get(term, 0.0)) for term, count in entry.weights.items()]
    units = {one: str(records.compute_weight(one[0], length, average, one[1])) for one in set(counted)}
    member = entry.member
    for term, one in zip(entry.weights, counted, strict=True):
        postings[term] += (units[one], member)


def _length(entry: Entry) -> int:
    return entry.record.length if entry.record else 0


def _slices(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The documents in calls of at most so many postings, one document at least."""
    some: list[Entry] = []
    postings = 0
    for entry in entries:
        if some and (len(some) == MAX_DOCUMENTS or postings + len(entry.weights) > MAX_POSTINGS):
            yield some
            some, postings = [], 0
        some.append(entry)
        postings += len(entry.weights)
    if some:
        yield some


def put_name_places(kind: str, generation: int, entries: Sequence[Entry]) -> None:
    """Give these documents their places, each unless a newer version has one.

    Before the documents: a crash leaves a place too many, which the next try mends, and never one too few.
    """
    for name in _name_orders(kind):
        order = build_name_order(kind, generation, name)
        order.put([PlacedName(entry.member, entry.version, _name_key(entry, name)) for entry in entries])


def build_name_order(kind: str, generation: int, name: str) -> NameOrder:
    """The keys of one order; its places are an order as any other."""
    named = keys.generation_parts(kind, generation)
    return NameOrder(
        keys.NAME_RECORDS(order=name, **named),
        keys.NAMES(order=name, **named),
        keys.ORDER(order=name, **named),
    )


def _name_key(entry: Entry, name: str) -> str:
    """The key of a document, of one without a name too; "" for a removed one."""
    return (entry.name_keys.get(name) or readings.sort_key("")) if entry.record else ""


def _name_orders(kind: str) -> tuple[str, ...]:
    registered = KINDS.get(kind)
    return registered.name_orders if registered else ()
