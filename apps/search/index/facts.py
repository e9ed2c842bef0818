"""Facts about the index for staff: its size, its age, and what waits."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count
from django.utils.functional import Promise

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations
from apps.search.models import IndexEntry
from apps.web.findable import KINDS

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
