"""What tests of the cache share: a source that counts its loads, and entries made old."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from apps.redis_kit import cache, client
from tests.redis_kit import keys
from tests.sites import wait_until

FRESH, TTL, MISS = timedelta(minutes=5), timedelta(hours=1), timedelta(seconds=30)


class CountingSource:
    """Things by id, as SQL would hold them, with their loads counted.

    A load lasts until a `crowd` of readers has come and `together` loads have been inside at once, waits
    while `gate` is clear, and fails while there is a `failing`.
    """

    def __init__(self) -> None:
        self.rows: dict[Any, Any] = {1: {"name": "noodles"}, 2: {"name": "tea"}}
        self.loads: Counter[Any] = Counter()
        self.came = self.crowd = self.together = 0
        self.gate = threading.Event()
        self.gate.set()
        self.failing: Exception | None = None
        self.inside = self.most_inside = 0
        self._lock = threading.Lock()

    def reader(self, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """`read`, with each call counted in `came` before it begins."""

        def counted(thing: Any) -> Any:
            with self._lock:
                self.came += 1
            return read(thing)

        return counted

    def load(self, thing: Any, *rest: Any) -> Any:
        with self._lock:
            self.loads[thing] += 1
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
        try:
            row = self.rows.get(thing)
            wait_until(self._has_crowd, seconds=60, every=0.001)
            assert self.gate.wait(60)
            if self.failing:
                raise self.failing
            return row
        finally:
            with self._lock:
                self.inside -= 1

    def _has_crowd(self) -> bool:
        return self.came >= self.crowd and self.most_inside >= self.together


def read_all(cached: cache.Cache[Any], *things: Any) -> dict[Any, Any]:
    """What `cached` gives for each of these."""
    return {thing: cached.get(thing) for thing in things}


def make_cache(source: CountingSource, **options: Any) -> cache.Cache[Any]:
    usual: dict[str, Any] = {"load": source.load, "fresh": FRESH, "ttl": TTL, "miss_ttl": MISS}
    return cache.Cache(keys.THING, **(usual | options))


def make_stale(thing: Any) -> None:
    """Make an entry's value stale, as if `fresh` had passed."""
    client.get().hset(keys.THING(thing=thing), "fresh_until", 1)


def end_lease(thing: Any) -> None:
    """Make the lease on an entry old, as if its holder had died long ago."""
    client.get().hset(keys.THING(thing=thing), "lease_until", 1)
