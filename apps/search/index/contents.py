"""Compares what the index holds of each document with what its rows give: terms, orders, facets, place.

A document whose change is on its way has another version than SQL says, and is left to reconcile.py.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command
from apps.search import keys
from apps.search.index import documents, draining, members, vocabulary, writing
from apps.search.index.records import Entry, Record
from apps.web.findable import Kind

#: The 52 bits of a GEO score tell places apart that are half a metre from each other.
TOLERANCE_DEGREES = 0.000_01
#: A document, and what of it differs.
Wrong = tuple[Entry, list[str]]


def find_wrong(kind: Kind, generation: int, ids: Sequence[int]) -> list[Wrong]:
    """Those of these documents that the index holds otherwise than their rows say."""
    stored = _read_stored(kind.name, generation, ids)
    # SQL after Redis: an index that claims to be newer than SQL is wrong.
    versions = draining.read_versions(kind.name, ids)
    entries = documents.load_entries(kind.name, versions)
    known = [
        (entry, stored[entry.member])
        for entry in entries
        if entry.record and (stored[entry.member][0] or -1) >= entry.version
    ]
    replies = iter(_read_lists(kind.name, generation, [entry for entry, _stored in known]))
    average = writing.read_average(kind.name, generation)
    found = []
    for entry, (version, raw) in known:
        wrong = ["version"] if version != entry.version else []
        wrong += ["record"] if not _is_same(raw, entry.record) else []
        if aspects := wrong + _compare_lists(entry, replies, average):
            found.append((entry, aspects))
    return found


def repair(kind: Kind, generation: int, wrong: Sequence[Wrong]) -> None:
    """Write these documents anew: every list of theirs, whatever the record pretended."""
    named = keys.generation_parts(kind.name, generation)
    commands: list[Command] = []
    for entry, aspects in wrong:
        assert entry.record, "only documents that may be found are compared"
        if "version" in aspects:
            commands.append(("HDEL", keys.VERSIONS(**named), entry.member))
        if "record" in aspects:
            commands.append(("HDEL", keys.RECORDS(**named), entry.member))
        commands += [
            ("SADD", keys.FACET(value=value, **named), entry.member) for value in entry.record.values
        ]
    transport.execute_many(client.get(), commands)
    # This process may think that it has added these words.
    vocabulary.forget()
    versions = {members.decode(entry.member): entry.version for entry, _aspects in wrong}
    writing.put(kind.name, generation, documents.load_entries(kind.name, versions))


def _read_stored(kind: str, generation: int, ids: Sequence[int]) -> dict[str, tuple[int | None, str | None]]:
    """{member: (version, record)} as the index has them."""
    wanted = [members.encode(number) for number in ids]
    versions, records = transport.execute_many(
        client.get(),
        [
            ("HMGET", keys.VERSIONS(kind=kind, generation=generation), *wanted),
            ("HMGET", keys.RECORDS(kind=kind, generation=generation), *wanted),
        ],
    )
    return {
        member: (int(version.partition(":")[0]) if version else None, raw)
        for member, version, raw in zip(wanted, versions, records, strict=True)
    }


def _is_same(raw: str | None, expected: Record | None) -> bool:
    try:
        stored = Record.parse(raw)
    except (ValueError, TypeError):
        return False
    if stored is None or expected is None:
        return stored is expected
    place = tuple(stored.place) if stored.place else None
    return (*stored[:3], sorted(stored.values), place, [*stored.forms]) == (
        *expected[:3],
        sorted(expected.values),
        expected.place,
        [*expected.forms],
    )


def _read_lists(kind: str, generation: int, entries: Sequence[Entry]) -> Iterator[Any]:
    named = keys.generation_parts(kind, generation)
    commands: list[Command] = []
    for entry in entries:
        assert entry.record
        member, terms = entry.member, list(entry.weights)
        orders = list(writing.orders_of(entry.record))
        commands.append(("ZMSCORE", keys.VOCABULARY(**named), *terms, ""))
        commands += [("ZSCORE", key, member) for key in keys.POSTINGS.build_many("term", terms, **named)]
        commands += [("ZSCORE", key, member) for key in keys.ORDER.build_many("order", orders, **named)]
        commands += [("SISMEMBER", keys.FACET(value=one, **named), member) for one in entry.record.values]
        commands.append(("GEOPOS", keys.PLACES(**named), member))
    yield from transport.execute_many(client.get(), commands) if commands else []


def _compare_lists(entry: Entry, replies: Iterator[Any], average: float) -> list[str]:
    """What differs of a document, in the order in which `_read_lists` asked."""
    assert entry.record
    wrong = ["vocabulary"] if None in next(replies)[: len(entry.weights)] else []
    for weight in entry.compute_weights(average):
        stored = next(replies)
        if stored is None or int(float(stored)) != weight:
            wrong.append("term")
    for score in writing.orders_of(entry.record).values():
        stored = next(replies)
        wrong += ["order"] if stored is None or float(stored) != score else []
    for _value in entry.record.values:
        wrong += [] if next(replies) else ["facet"]
    (place,) = next(replies)
    return list(dict.fromkeys(wrong + ([] if _is_near(place, entry.record.place) else ["place"])))


def _is_near(stored: Sequence[Any] | None, expected: tuple[float, float] | None) -> bool:
    if stored is None or expected is None:
        return stored is None and expected is None
    (lng, lat), (expected_lat, expected_lng) = map(float, stored), expected
    return max(abs(lat - expected_lat), abs(lng - min(expected_lng, 179.999_999))) <= TOLERANCE_DEGREES
