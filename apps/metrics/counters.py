"""Counters of events by time, at seven precisions: read for charts, and cleaned by beat."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import product

import redis

from apps.metrics import keys
from apps.redis_kit import client, scripts

CLEAN_COUNTER = scripts.Script("clean_counter", package="apps.metrics", reply=int)


@dataclass(frozen=True)
class Series:
    """A counter's newest samples, one every `precision` seconds: the last begins at unix second `until`."""

    name: str
    precision: int
    until: int
    counts: list[int]

    @property
    def starts(self) -> list[int]:
        """The unix second at which each sample begins."""
        first = self.until - (len(self.counts) - 1) * self.precision
        return [first + position * self.precision for position in range(len(self.counts))]

    @property
    def total(self) -> int:
        return sum(self.counts)

    def without_newest(self, number: int) -> "Series":
        """The series without so many of its newest samples."""
        until = self.until - number * self.precision
        return Series(self.name, self.precision, until, self.counts[: len(self.counts) - number])


def names(connected: redis.Redis) -> list[str]:
    """The names of all counters, sorted."""
    return sorted(map(str, connected.zrange(keys.COUNTERS(), 0, -1)))


def read(connected: redis.Redis, wanted: Iterable[str], *, precision: int, samples: int) -> list[Series]:
    """The newest samples of each counter, in two round trips; a sample without events is 0."""
    wanted = list(wanted)
    now = _now(connected)
    until = now - now % precision
    starts = [str(until - back * precision) for back in reversed(range(samples))]
    with connected.pipeline(transaction=False) as pipe:
        for name in wanted:
            pipe.hmget(keys.COUNTER(precision=precision, name=name), starts)
        found = pipe.execute()
    return [
        Series(name, precision, until, [int(each or 0) for each in counts])
        for name, counts in zip(wanted, found, strict=True)
    ]


def add_past(events: Mapping[str, Mapping[int, int]]) -> None:
    """Add events of the past, by counter and unix second, to the samples of an hour and longer.

    Raises client.UNAVAILABLE. Repeated, it adds them again.
    """
    connected = client.get(keys.CONNECTION)
    now = _now(connected)
    with connected.pipeline(transaction=False) as pipe:
        for name, precision in product(filter(events.get, events), keys.LONG_PRECISIONS):
            key = keys.COUNTER(precision=precision, name=name)
            for start, number in _sum_samples(events[name], precision, now).items():
                pipe.hincrby(key, str(start), number)
            pipe.expire(key, (keys.SAMPLES_KEPT + 1) * precision)
            pipe.zadd(keys.COUNTERS(), {name: now})
        pipe.execute()


def _sum_samples(counted: Mapping[int, int], precision: int, now: int) -> Counter[int]:
    """Events by the second at which their sample begins, of samples that are kept."""
    sums = Counter[int]()
    for second, number in counted.items():
        if second > now - keys.SAMPLES_KEPT * precision:
            sums[second - second % precision] += number
    return sums


def clean(*, samples_kept: int = keys.SAMPLES_KEPT, ahead: timedelta = timedelta(0)) -> int:
    """Remove older samples, and counters without any; returns how many samples went.

    `ahead` moves the clock, Redis' own, for tests. Raises client.UNAVAILABLE.
    """
    connected = client.get(keys.CONNECTION)
    fixed = [samples_kept, int(ahead.total_seconds()), *keys.PRECISIONS]
    return sum(
        CLEAN_COUNTER(connected, keys=[keys.COUNTERS(), *keys.counter_keys(name)], args=[name, *fixed])
        for name in names(connected)
    )


def _now(connected: redis.Redis) -> int:
    return int(connected.time()[0])
