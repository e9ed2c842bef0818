"""Finds documents in lists that their records don't name, and sums that the records don't give."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index.records import Record
from apps.web.batches import chunked

BATCH_LISTS = 500


@dataclass
class Sums:
    """What the records of a generation add up to: documents by term and by facet's value, and statistics."""

    terms: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    length: int = 0


def add_up(kind: str, generation: int) -> Sums:
    """The sums of all records."""
    sums = Sums()
    for _member, record in _iter_records(kind, generation):
        sums.terms.update(record.unique_terms())
        sums.values.update(set(record.values))
        sums.documents += 1
        sums.length += record.length
    return sums


def find_in_postings(kind: str, generation: int, sums: Sums) -> set[tuple[str, str]]:
    """(term, member) of documents that stand in a term's list without the term."""
    named = keys.generation_parts(kind, generation)
    redis = client.get()
    found: set[tuple[str, str]] = set()
    every_term = (str(term) for term, _score in redis.zscan_iter(keys.VOCABULARY(**named), count=1_000))
    for terms in chunked(every_term, BATCH_LISTS):
        lists = keys.POSTINGS.build_many("term", terms, **named)
        sizes = transport.execute_many(redis, [("ZCARD", key) for key in lists])
        for term, key, size in zip(terms, lists, sizes, strict=True):
            if size > sums.terms[term]:
                listed = cast(list[str], redis.zrange(key, 0, -1))
                records = _read_records(kind, generation, listed)
                found |= {(term, one) for one in listed if term not in _terms_of(records.get(one))}
    return found


def remove_from_postings(kind: str, generation: int, orphans: set[tuple[str, str]]) -> None:
    """Take documents out of terms' lists."""
    named = keys.generation_parts(kind, generation)
    commands = [("ZREM", keys.POSTINGS(term=term, **named), member) for term, member in sorted(orphans)]
    transport.execute_many(client.get(), commands)


def find_in_facets(kind: str, generation: int, sums: Sums) -> set[tuple[str, str]]:
    """(facet=value, member) of documents that stand in a facet's set without its value."""
    named = keys.generation_parts(kind, generation)
    redis = client.get()
    found: set[tuple[str, str]] = set()
    for value, count in sums.values.items():
        key = keys.FACET(value=value, **named)
        if redis.scard(key) > count:
            listed = sorted(cast(set[str], redis.smembers(key)))
            records = _read_records(kind, generation, listed)
            known = {member for member, record in records.items() if value in record.values}
            found |= {(value, member) for member in listed if member not in known}
    return found


def remove_from_facets(kind: str, generation: int, orphans: set[tuple[str, str]]) -> None:
    """Take documents out of facets' sets."""
    named = keys.generation_parts(kind, generation)
    commands = [("SREM", keys.FACET(value=value, **named), member) for value, member in sorted(orphans)]
    transport.execute_many(client.get(), commands)


def find_wrong_values(kind: str, generation: int, sums: Sums) -> dict[str, int]:
    """{facet=value: right number} of those whose number of documents is wrong; 0 for one to be removed."""
    stored = cast(
        list[tuple[str, float]],
        client.get().zrange(keys.VALUES(kind=kind, generation=generation), 0, -1, withscores=True),
    )
    counted = {value: int(score) for value, score in stored}
    names = counted.keys() | sums.values.keys()
    return {name: sums.values[name] for name in names if counted.get(name, 0) != sums.values[name]}


def write_values(kind: str, generation: int, right: Mapping[str, int]) -> None:
    """Write the numbers of documents of facets' values."""
    key = keys.VALUES(kind=kind, generation=generation)
    commands = [
        ("ZADD", key, count, value) if count else ("ZREM", key, value) for value, count in right.items()
    ]
    transport.execute_many(client.get(), commands)


def find_wrong_stats(kind: str, generation: int, sums: Sums) -> dict[str, int]:
    """{statistic: by how much it is too small} of the numbers of documents and of their terms."""
    key = keys.STATS(kind=kind, generation=generation)
    documents, length = cast(list[str | None], client.get().hmget(key, ["documents", "terms"]))
    off = {"documents": sums.documents - int(documents or 0), "terms": sums.length - int(length or 0)}
    return {name: difference for name, difference in off.items() if difference}


def correct_stats(kind: str, generation: int, off: Mapping[str, int]) -> None:
    """Add the differences to the counters, so that changes during the comparison are kept."""
    key = keys.STATS(kind=kind, generation=generation)
    transport.execute_many(client.get(), [("HINCRBY", key, name, number) for name, number in off.items()])


def _iter_records(kind: str, generation: int) -> Iterator[tuple[str, Record]]:
    for member, raw in client.get().hscan_iter(keys.RECORDS(kind=kind, generation=generation), count=500):
        if record := Record.parse(str(raw)):
            yield str(member), record


def _read_records(kind: str, generation: int, wanted: list[str]) -> dict[str, Record]:
    raw = client.get().hmget(keys.RECORDS(kind=kind, generation=generation), wanted) if wanted else []
    texts = cast(list[str | None], raw)
    parsed = {member: Record.parse(text) for member, text in zip(wanted, texts, strict=True)}
    return {member: record for member, record in parsed.items() if record}


def _terms_of(record: Record | None) -> set[str]:
    return record.unique_terms() if record else set()
