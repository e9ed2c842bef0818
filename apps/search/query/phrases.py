"""Keeps the documents that have the terms of a phrase side by side."""

from collections.abc import Sequence

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index.records import Record
from apps.search.query.parsing import Alternative

#: Documents that are looked at, the best first: those of a phrase of very common words are cut off there.
MAX_CANDIDATES = 3_000
BATCH_SIZE = 500


def keep_matching(kind: str, generation: int, key: str, phrases: Sequence[Alternative]) -> int:
    """Leave in a result the documents with all phrases; returns their number."""
    redis = client.get()
    pairs = transport.scored(
        transport.execute(redis, ("ZREVRANGE", key, 0, MAX_CANDIDATES - 1, "WITHSCORES"))
    )
    wanted = [f" {' '.join(phrase)} " for phrase in phrases]
    kept: list[float | str] = []
    for first in range(0, len(pairs), BATCH_SIZE):
        some = pairs[first : first + BATCH_SIZE]
        raw = transport.execute(
            redis, ("HMGET", keys.RECORDS(kind=kind, generation=generation), *(member for member, _ in some))
        )
        for (member, score), text in zip(some, raw, strict=True):
            if _has_all(Record.parse(text), wanted):
                kept += [score, member]
    # A step of its own, and never half of it: the key is replaced in one transaction.
    with redis.pipeline(transaction=True) as pipe:
        pipe.delete(key)
        if kept:
            pipe.execute_command("ZADD", key, *kept)
            pipe.expire(key, 60)
        pipe.execute()
    return len(kept) // 2


def _has_all(record: Record | None, wanted: Sequence[str]) -> bool:
    if record is None:
        return False
    lines = [f" {line} " for line in record.sequence.split("\n")]
    return all(any(phrase in line for line in lines) for phrase in wanted)
