"""Adds what a process gathered in a second to the counters, statistics and sums in Redis, in one call."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum

import redis

from apps.metrics import gathering, keys
from apps.metrics.gathering import Gathered
from apps.metrics.timings import MICROSECONDS, Histogram
from apps.redis_kit import scripts

#: Upper bounds in seconds of the histograms that Prometheus reads; what is longer falls under none of them.
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: Different contexts of a process; further ones share the one of this name.
MAX_CONTEXTS, OTHERS = 500, "others"
#: Begins the contexts of requests.
VIEW = "view/"
#: Every request is an event of this name too.
HITS = "hits"

_TIMINGS_KEPT_SECONDS = int(keys.TIMINGS_KEPT.total_seconds())


class Addition(IntEnum):
    """What `add_samples.lua` did."""

    BROKEN = -1
    ADDED = 1


ADD_SAMPLES = scripts.Script("add_samples", package="apps.metrics", reply=Addition)
#: Contexts that this process has named.
_contexts: set[str] = set()


class Second:
    """The durations and events of a second, summed up."""

    def __init__(self, gathered: Gathered) -> None:
        self.counts = Counter({gathering.as_name(name): times for name, times in gathered.counts.items()})
        self.timings: dict[str, Histogram] = {}
        #: Fields of keys.TOTALS with what they grow by.
        self.totals: Counter[str] = Counter()
        durations: dict[tuple[str, int], list[float]] = {}
        for name, seconds, status in gathered.samples:
            durations.setdefault((name, status), []).append(seconds)
        for (name, status), group in durations.items():
            self._add(name, status, group)
        for name, times in self.counts.items():
            self.totals[f"events|{name}"] += times

    def _add(self, name: str, status: int, durations: Sequence[float]) -> None:
        """Add the samples of one name and status."""
        context = _bounded(gathering.as_name(VIEW + name if status else name))
        self.timings.setdefault(context, Histogram()).merge(Histogram.of_seconds(durations))
        for place, times in Counter(bisect_left(BOUNDS, seconds) for seconds in durations).items():
            self.totals[f"seconds|{context}|{place}"] += times
        self.totals[f"microseconds|{context}"] += sum(round(each * MICROSECONDS) for each in durations)
        if status:
            self.counts[HITS] += len(durations)
            self.totals[f"requests|{context}|{status // 100}xx"] += len(durations)


def add(connected: redis.Redis, gathered: Gathered) -> Addition:
    """Add them; raises what a call raises: then they may have been added or not, and are not sent again."""
    named, args = build_call(Second(gathered))
    return ADD_SAMPLES(connected, keys=named, args=args)


def build_call(second: Second) -> scripts.Call:
    """(keys, args) of ADD_SAMPLES."""
    named = [keys.COUNTERS(), keys.TIMINGS(), keys.TOTALS()]
    for name in second.counts:
        named += keys.counter_keys(name)
    for context in second.timings:
        named += keys.timing_keys(context)
    precisions = " ".join(map(str, keys.PRECISIONS))
    args: list[scripts.Arg] = [precisions, keys.SAMPLES_KEPT + 1, _TIMINGS_KEPT_SECONDS]
    return named, [*args, len(second.counts), len(second.timings), *_flatten(second)]


def _flatten(second: Second) -> Iterator[scripts.Arg]:
    for pair in second.counts.items():
        yield from pair
    for context, timing in second.timings.items():
        yield from (context, timing.count, timing.total, timing.squares)
        yield from (timing.smallest, timing.largest, len(timing.buckets))
        for bucket in timing.buckets.items():
            yield from bucket
    for total in second.totals.items():
        yield from total


def _bounded(context: str) -> str:
    if context not in _contexts:
        if len(_contexts) >= MAX_CONTEXTS:
            return OTHERS
        _contexts.add(context)
    return context
