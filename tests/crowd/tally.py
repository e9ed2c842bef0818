"""Counts the buyers' answers: by code, as a histogram of times, and the orders promised to each buyer."""

import math
from collections import Counter
from dataclasses import dataclass, field

#: Buckets of 2%: a percentile is off by at most that, and an hour takes no more memory than a second.
STEP = math.log(1.02)
#: Seconds; shorter times count as this one.
SHORTEST = 1e-6


@dataclass
class Tally:
    """Counts of one process; `+=` adds another's."""

    codes: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    #: Number of the buyer -> order ids that were promised: one, or something is wrong.
    promised: dict[int, set[str]] = field(default_factory=dict)
    #: How often a buyer had to ask again because no answer came.
    lost: int = 0
    #: Buyers that never got a final answer.
    gave_up: int = 0

    def add(self, code: str, seconds: float) -> None:
        """Add one answer and the seconds it took."""
        self.codes[code] += 1
        self.times[round(math.log(max(seconds, SHORTEST)) / STEP)] += 1

    def promise(self, buyer: int, order_id: str) -> None:
        """Record that this buyer was promised that order."""
        self.promised.setdefault(buyer, set()).add(order_id)

    def __iadd__(self, other: "Tally") -> "Tally":
        self.codes += other.codes
        self.times += other.times
        self.lost += other.lost
        self.gave_up += other.gave_up
        for buyer, orders in other.promised.items():
            self.promised.setdefault(buyer, set()).update(orders)
        return self

    @property
    def answers(self) -> int:
        return sum(self.codes.values())

    def percentile(self, share: float) -> float:
        """Return the seconds within which that share of the answers came; 0.0 without answers."""
        wanted, seen = share * self.answers, 0
        for bucket in sorted(self.times):
            seen += self.times[bucket]
            if seen >= wanted:
                return math.exp(bucket * STEP)
        return 0.0
