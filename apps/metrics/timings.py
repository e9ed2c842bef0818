"""How long views, verbs and tasks took in this hour and the last, as histograms; the slowest first.

Buckets of a histogram grow by a tenth: percentiles are within 5 % of the exact ones.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

import redis

from apps.metrics import keys
from apps.redis_kit import scripts

#: How many of the slowest a page lists.
MAX_SLOWEST = 100
_HOUR_SECONDS = 3_600
#: Bucket i holds durations from GROWTH^i microseconds to the next bucket's; its middle, by ratio, is at most
#: sqrt(GROWTH) - 1 = 4.9 % away from each of them.
GROWTH = 1.1
_PER_LOG = 1.0 / math.log(GROWTH)
MICROSECONDS, NANOSECONDS = 1_000_000, 1_000_000_000


@dataclass
class Histogram:
    """Durations: their number, sums, extremes in microseconds, and how many fell into each bucket.

    `total` is in nanoseconds and `squares` in square nanoseconds, both of whole numbers: the deviation of few
    durations close to each other is what is left of two sums that are almost equal.
    """

    count: int = 0
    total: int = 0
    squares: int = 0
    smallest: int = 0
    largest: int = 0
    buckets: Counter[int] = field(default_factory=Counter)

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Self:
        """The histogram in a hash of Redis (keys.TIMING): its buckets are the fields that are numbers."""
        buckets = {int(name): int(number) for name, number in fields.items() if name.isdigit()}
        return cls(
            int(fields.get("count", 0)),
            int(fields.get("nanoseconds", 0)),
            int(Decimal(fields.get("square_nanoseconds", 0))),
            int(fields.get("smallest", 0)),
            int(fields.get("largest", 0)),
            Counter(buckets),
        )

    @classmethod
    def of_seconds(cls, seconds: Sequence[float]) -> Self:
        """The histogram of durations; for extremes and buckets, what is shorter than a microsecond counts as
        one.
        """
        if not seconds:
            return cls()
        durations = Counter(max(1, round(each * MICROSECONDS)) for each in seconds)
        nanoseconds, buckets = [round(each * NANOSECONDS) for each in seconds], Counter[int]()
        for duration, times in durations.items():
            buckets[bucket_index(duration)] += times
        squares = sum(each * each for each in nanoseconds)
        return cls(len(seconds), sum(nanoseconds), squares, min(durations), max(durations), buckets)

    def merge(self, other: "Histogram") -> None:
        """Add all durations of another histogram."""
        if other.count:
            self.smallest = min(self.smallest, other.smallest) if self.count else other.smallest
            self.largest = max(self.largest, other.largest)
            self.count += other.count
            self.total += other.total
            self.squares += other.squares
            self.buckets.update(other.buckets)

    @property
    def mean(self) -> float:
        """The mean in seconds, 0 without durations."""
        return self.total / self.count / NANOSECONDS if self.count else 0.0

    @property
    def deviation(self) -> float:
        """The sample's standard deviation in seconds, 0 for a single duration."""
        if self.count < 2:
            return 0.0
        # Redis adds squares exactly up to 2^64 only: durations of seconds that are alike may be below zero.
        spread = max(0, self.count * self.squares - self.total**2)
        return math.sqrt(spread / (self.count * (self.count - 1))) / NANOSECONDS

    def percentile(self, share: float) -> float:
        """The duration in seconds that `share` of them don't pass, by nearest rank; 0 without any."""
        rank, passed = max(1, math.ceil(share * self.count)), 0
        for index in sorted(self.buckets):
            passed += self.buckets[index]
            if passed >= rank:
                return min(max(bucket_middle(index), self.smallest), self.largest) / MICROSECONDS
        return 0.0


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


def slowest(timings: Sequence[Timing], order: Callable[[Timing], float] = by_mean) -> list[Timing]:
    """The slowest MAX_SLOWEST, the slowest first."""
    return sorted(timings, key=order, reverse=True)[:MAX_SLOWEST]


def _merge_recent(hours: Sequence[dict[str, str]], hour: int) -> Histogram:
    """The durations of the hashes that are of this hour or the one before: the rotation may be late."""
    merged = Histogram()
    for fields in hours:
        if int(fields.get("hour", 0)) >= hour - 1:
            merged.merge(Histogram.parse(fields))
    return merged


def bucket_index(microseconds: float) -> int:
    """The bucket of a duration of at least a microsecond."""
    return int(math.log(microseconds) * _PER_LOG)


def bucket_middle(index: int) -> float:
    """The duration in microseconds that represents a bucket."""
    return float(GROWTH ** (index + 0.5))
