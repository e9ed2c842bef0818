"""How long views, verbs and tasks took in this hour and the last: read for pages, the slowest first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import redis

from apps.metrics import keys
from apps.metrics.histograms import Histogram
from apps.redis_kit import scripts

#: How many of the slowest a page lists.
MAX_SLOWEST = 100
_HOUR_SECONDS = 3_600


@dataclass(frozen=True)
class Timing:
    """A context ("view/shops:detail", "verb/…", "task/…") with its durations."""

    context: str
    durations: Histogram

    @property
    def kind(self) -> str:
        return self.context.partition("/")[0]

    @property
    def name(self) -> str:
        return self.context.partition("/")[2] or self.context


def by_mean(timing: Timing) -> float:
    """A timing's place among the slowest: its mean."""
    return timing.durations.mean


def by_p99(timing: Timing) -> float:
    """A timing's place among the slowest: what one in a hundred takes longer than."""
    return timing.durations.percentile(0.99)


def slowest(timings: Sequence[Timing], order: Callable[[Timing], float] = by_mean) -> list[Timing]:
    """The slowest MAX_SLOWEST, the slowest first."""
    return sorted(timings, key=order, reverse=True)[:MAX_SLOWEST]


def read_all(connected: redis.Redis) -> list[Timing]:
    """Every context with durations in this hour or the last, in two round trips."""
    with connected.pipeline(transaction=False) as pipe:
        scripts.READ_TIME.queue(pipe, keys=[keys.TIMINGS()])
        pipe.zrange(keys.TIMINGS(), 0, -1)
        now, contexts = pipe.execute()
    with connected.pipeline(transaction=False) as pipe:
        for context in contexts:
            for key in keys.timing_keys(context):
                pipe.hgetall(key)
        found = pipe.execute()
    hour = scripts.READ_TIME.parse(now)[0] // _HOUR_SECONDS
    timings = [
        Timing(context, _merge_recent([this, last], hour))
        for context, this, last in zip(contexts, found[::2], found[1::2], strict=True)
    ]
    return [timing for timing in timings if timing.durations.count]


def _merge_recent(hours: Sequence[dict[str, str]], hour: int) -> Histogram:
    """The durations of the hashes that are of this hour or the one before: the rotation may be late."""
    merged = Histogram()
    for fields in hours:
        if int(fields.get("hour", 0)) >= hour - 1:
            merged.merge(Histogram.parse(fields))
    return merged
