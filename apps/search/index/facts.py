"""Facts about the index for staff: its size, its age, what waits, and which counts differ from SQL's."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count
from django.utils.functional import Promise

from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.search import keys
from apps.search.index import generations, rebuilding
from apps.search.models import IndexEntry
from apps.web.findable import KINDS, Kind

#: Postings whose memory is measured, spread over the vocabulary.
SAMPLE_SIZE = 200


@dataclass(frozen=True)
class IndexFacts:
    """The index of one kind; `memory_bytes` is estimated from a sample; `generation` None: no index yet."""

    kind: str
    label: str | Promise
    documents: int
    terms: int
    memory_bytes: int
    generation: int | None
    built_at: datetime | None
    waiting: int


def read() -> list[IndexFacts]:
    """The facts of each kind; raises client.UNAVAILABLE."""
    rows = IndexEntry.objects.filter(is_waiting=True).values("kind").annotate(number=Count("pk"))
    waiting = {row["kind"]: row["number"] for row in rows}
    return [_read_kind(name, kind.label, waiting.get(name, 0)) for name, kind in KINDS.items()]


def _read_kind(name: str, label: str | Promise, waiting: int) -> IndexFacts:
    generation = generations.live(name)
    if generation is None:
        return IndexFacts(name, label, 0, 0, 0, None, None, waiting)
    stats = generations.read_stats(name, generation)
    terms = client.get().zcard(keys.VOCABULARY(kind=name, generation=generation))
    built_at = datetime.fromtimestamp(stats.get("built_at", 0), UTC)
    memory = _estimate_memory(name, generation, terms)
    return IndexFacts(name, label, int(stats["documents"]), terms, memory, generation, built_at, waiting)


def _estimate_memory(kind: str, generation: int, terms: int) -> int:
    named, redis = keys.generation_parts(kind, generation), client.get()
    step = max(1, terms // SAMPLE_SIZE)
    places = range(0, terms, step)
    key = keys.VOCABULARY(**named)
    sampled = [
        found[0] for found in transport.execute_many(redis, [("ZRANGE", key, at, at) for at in places])
    ]
    whole = (keys.RECORDS, keys.VERSIONS, keys.VOCABULARY, keys.SPELLINGS, keys.STEMS)
    fixed = [one(**named) for one in whole]
    sampled_keys = [*fixed, *keys.POSTINGS.build_many("term", sampled, **named)]
    sizes = [
        size or 0
        for size in transport.execute_many(redis, [("MEMORY", "USAGE", key) for key in sampled_keys])
    ]
    return sum(sizes[: len(fixed)]) + sum(sizes[len(fixed) :]) * step


def compare_counts(fix: bool) -> Iterator[Finding]:
    """Yield the counts of live generations that differ from SQL's rows, or from their own lists.

    Each is found twice, since things change meanwhile. `fix` rebuilds the kind; what else a list may have
    wrong, the rebuild of the next night mends. A kind without an index is the sweep's.
    """
    for kind in KINDS.entries():
        first = _find_wrong_counts(kind)
        wrong = dict(first.items() & _find_wrong_counts(kind).items()) if first else {}
        if fix and wrong:
            rebuilding.rebuild_kind(kind.name)
        for aspect, (actual, expected) in sorted(wrong.items()):
            yield Finding(kind.name, aspect, str(actual), str(expected))


def _find_wrong_counts(kind: Kind) -> dict[str, tuple[int, int]]:
    """What differs: (as it is, as it should be)."""
    generation = generations.live(kind.name)
    if generation is None:
        return {}
    before = _count_indexed(kind, generation)
    expected = sum(map(len, kind.pk_chunks()))
    after = _count_indexed(kind, generation)
    waiting = IndexEntry.objects.filter(is_waiting=True, kind=kind.name).count()
    wrong = _find_wrong_sums(kind.name, generation)
    if not min(before, after) - waiting <= expected <= max(before, after) + waiting:
        wrong["documents"] = (after, expected)
    return wrong


def _count_indexed(kind: Kind, generation: int) -> int:
    """The documents that a search may find: those that are over leave with the next sweep."""
    named = keys.generation_parts(kind.name, generation)
    commands: list[transport.Command] = [("ZCARD", keys.ORDER(order=generations.ALL, **named))]
    if kind.window:
        commands.append(("ZCOUNT", keys.ORDER(order=kind.window[1], **named), "-inf", f"({time.time()}"))
    count, *over = transport.execute_many(client.get(), commands)
    return int(count - sum(over))


def _find_wrong_sums(kind: str, generation: int) -> dict[str, tuple[int, int]]:
    """The numbers that a generation keeps of its lists, beside the lists' lengths."""
    named, redis = keys.generation_parts(kind, generation), client.get()
    counts = transport.scored(transport.execute(redis, ("ZRANGE", keys.VALUES(**named), 0, -1, "WITHSCORES")))
    facets = keys.FACET.build_many("value", [value for value, _count in counts], **named)
    commands: list[transport.Command] = [
        ("ZCARD", keys.ORDER(order=generations.ALL, **named)),
        ("HGET", keys.STATS(**named), "documents"),
        ("HLEN", keys.RECORDS(**named)),
        *(("SCARD", key) for key in facets),
    ]
    documents, counted, records, *lengths = transport.execute_many(redis, commands)
    sums = {"counted documents": (int(counted or 0), documents), "records": (records, documents)}
    for (value, count), length in zip(counts, lengths, strict=True):
        sums[f"facet {value}"] = (int(count), length)
    return {aspect: pair for aspect, pair in sums.items() if pair[0] != pair[1]}
