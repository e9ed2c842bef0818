"""Fills a generation with documents that it has never had: list by list, not document by document.

A common word's list takes the documents of a batch in one command, which costs a third of one command each.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

from apps.redis_kit import client, scripts
from apps.search import keys
from apps.search.index import name_places, vocabulary, weights, writing
from apps.search.index.records import Entry

#: Documents and postings of one call: some 30 ms of Redis, of which a longer one would save little.
MAX_DOCUMENTS, MAX_POSTINGS = 200, 12_000

PUT_NEW = scripts.Script("put_new_documents", package="apps.search.index", reply=frozenset[str])


def fill(kind: str, generation: int, entries: Sequence[Entry]) -> None:
    """Bring these documents into a generation; those that a change wrote before go document by document."""
    vocabulary.add(kind, generation, {term for entry in entries for term in entry.weights})
    name_places.put(kind, generation, entries)
    average = writing.read_average(kind, generation)
    left = [entry for entry in entries if not entry.record]
    # Short texts weigh more: in this order the server walks along its lists instead of across them.
    for some in _slices(sorted((entry for entry in entries if entry.record), key=_length)):
        left += _put_unknown(kind, generation, some, average)
    writing.put(kind, generation, left)


def _put_unknown(kind: str, generation: int, entries: list[Entry], average: float) -> list[Entry]:
    """Write those of these documents that the index does not know; returns the others."""
    known = PUT_NEW(client.get(), **_build_call(kind, generation, entries, average))
    new = [entry for entry in entries if entry.member not in known]
    if not known:
        return []
    if new and PUT_NEW(client.get(), **_build_call(kind, generation, new, average)):
        # Changes write some at this very moment.
        return entries
    return [entry for entry in entries if entry.member in known]


class _Call(TypedDict):
    keys: list[str]
    args: list[scripts.Arg]


def _build_call(kind: str, generation: int, entries: Sequence[Entry], average: float) -> _Call:
    postings, orders = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    facets = defaultdict[str, list[str]](list)
    documents: list[scripts.Arg] = []
    for entry in entries:
        record = entry.record
        assert record, "no removal"
        _add_postings(postings, entry, record.length, average)
        for name, score in writing.orders_of(record).items():
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
    return _Call(keys=writing.fixed_keys(kind, generation) + entered, args=args)


def _add_postings(postings: dict[str, list[str]], entry: Entry, length: int, average: float) -> None:
    # Most terms occur once: few different weights are worth writing as texts once.
    shares = entry.in_names
    counted = [(count, shares.get(term, 0.0)) for term, count in entry.weights.items()]
    units = {one: str(weights.compute(one[0], length, average, one[1])) for one in set(counted)}
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
