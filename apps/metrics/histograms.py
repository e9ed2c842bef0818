"""A histogram of durations in buckets that grow by a tenth: percentiles within 5 % of the exact ones."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

#: Bucket i holds durations from GROWTH^i microseconds to the next bucket's; its middle, by ratio, is at most
#: sqrt(GROWTH) - 1 = 4.9 % away from each of them.
GROWTH = 1.1
_PER_LOG = 1.0 / math.log(GROWTH)
MICROSECONDS = 1_000_000


def bucket_index(microseconds: float) -> int:
    """The bucket of a duration of at least a microsecond."""
    return int(math.log(microseconds) * _PER_LOG)


def bucket_middle(index: int) -> float:
    """The duration in microseconds that stands for a bucket."""
    return float(GROWTH ** (index + 0.5))


@dataclass
class Histogram:
    """Durations in microseconds: their number, sums, extremes, and how many fell into each bucket.

    `squares` is the sum of squares in square seconds: in square microseconds an hour of a busy site would
    leave the range of whole numbers.
    """

    count: int = 0
    total: int = 0
    squares: float = 0.0
    smallest: int = 0
    largest: int = 0
    buckets: Counter[int] = field(default_factory=Counter)

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Self:
        """The histogram in a hash of Redis (keys.TIMING): its buckets are the fields that are numbers."""
        buckets = {int(name): int(number) for name, number in fields.items() if name.isdigit()}
        return cls(
            int(fields.get("count", 0)),
            int(fields.get("total", 0)),
            float(fields.get("squares", 0)),
            int(fields.get("smallest", 0)),
            int(fields.get("largest", 0)),
            Counter(buckets),
        )

    def add(self, seconds: float) -> None:
        """Add one duration; what is shorter than a microsecond counts as one."""
        duration = max(1, round(seconds * MICROSECONDS))
        self.smallest = min(self.smallest, duration) if self.count else duration
        self.largest = max(self.largest, duration)
        self.count += 1
        self.total += duration
        self.squares += seconds * seconds
        self.buckets[bucket_index(duration)] += 1

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
        return self.total / self.count / MICROSECONDS if self.count else 0.0

    @property
    def deviation(self) -> float:
        """The sample's standard deviation in seconds, 0 for a single duration."""
        spread = self.squares - self.count * self.mean**2
        return math.sqrt(max(0.0, spread) / (self.count - 1)) if self.count > 1 else 0.0

    def percentile(self, share: float) -> float:
        """The duration in seconds that `share` of them don't pass, by nearest rank; 0 without any."""
        rank, passed = max(1, math.ceil(share * self.count)), 0
        for index in sorted(self.buckets):
            passed += self.buckets[index]
            if passed >= rank:
                return min(max(bucket_middle(index), self.smallest), self.largest) / MICROSECONDS
        return 0.0
