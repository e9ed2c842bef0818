"""Hit rates of the caches, from the outcomes that redis_kit counts."""

from dataclasses import dataclass
from typing import cast

from apps.monitoring import memory
from apps.redis_kit import client, keys

#: Outcomes that were answered from Redis.
HIT_OUTCOMES = ("hit", "stale")


@dataclass(frozen=True)
class CacheStats:
    """One cache's number of each outcome, over all processes."""

    name: str
    counts: dict[str, int]

    @property
    def hit_percent(self) -> int:
        """Share of reads that needed no load from SQL."""
        reads = sum(self.counts.get(outcome, 0) for outcome in (*HIT_OUTCOMES, "miss"))
        return (
            round(100 * sum(self.counts.get(outcome, 0) for outcome in HIT_OUTCOMES) / reads) if reads else 0
        )


def read_all(report: memory.Report) -> list[CacheStats]:
    """The statistics of every cache named among the report's keys; one round trip."""
    found = sorted(raw for row in report.rows if row.key == keys.CACHE_COUNTS for raw in row.sample)
    pipe = client.get().pipeline(transaction=False)
    for raw in found:
        pipe.hgetall(raw)
    answers = cast(list[dict[str, str]], pipe.execute() if found else [])
    return [_parse_stats(raw, stored) for raw, stored in zip(found, answers, strict=True)]


def _parse_stats(raw: str, stored: dict[str, str]) -> CacheStats:
    return CacheStats(raw.rpartition(":")[2], {outcome: int(times) for outcome, times in stored.items()})
