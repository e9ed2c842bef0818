"""Cache-aside for one kind of object: JSON in Redis, SQL behind it, one load at a time for each object.

    SHOP = cache.Cache(keys.SHOP, load=load_shop, fresh=timedelta(minutes=5), ttl=timedelta(hours=1))
    SHOP.get(7)  ->  what load_shop(7) returned, or None
    transaction.on_commit(partial(SHOP.invalidate, 7))

The app declares the key, with type "hash". A value older than `fresh` is served while one thread loads it
again; after `ttl` readers wait until one of them has loaded. None is remembered for `miss_ttl`. When Redis
is away readers load from SQL, a few at once; Busy is raised when too many wait already.
"""

import json
import logging
import random
import re
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from redis import exceptions

from apps.redis_kit import cache_loads, client, eviction, schema
from apps.redis_kit.cache_entries import CONNECTION as CONNECTION
from apps.redis_kit.cache_entries import Entries, NewEntry, ReadResult, State

Value = TypeVar("Value")
Part = schema.Part
Busy = cache_loads.Busy

#: How long a reader without any value waits for another reader's load before it loads itself.
LOAD_WAIT = timedelta(seconds=1)
#: Pauses between two reads of a waiter, in seconds: it may be later than the load by the longest.
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.004, 0.04
#: After a call that ran into its deadline this process leaves Redis alone for so many seconds.
BACKOFF_SECONDS = 1.0
#: Expiries are spread over the last fifth of their time: entries filled together don't expire together.
TTL_SPREAD = 0.2

OUTCOME_BY_STATE = {
    State.FRESH: "hit",
    State.STALE: "stale",
    State.REFRESH: "stale",
    State.WAIT: "miss",
    State.LOAD: "miss",
}

_cached_keys: list[schema.Key] = []
#: Past it nothing more is cached: readers load from SQL.
BUDGET = eviction.MemoryBudget("caches", connection=CONNECTION, keys=_cached_keys, quota=0.3, share=0.8)
log = logging.getLogger(__name__)
_backoff_until = 0.0


class Cache(Generic[Value]):
    """The cache of one kind of object; `load` takes the key's parts in order and returns a value for JSON."""

    def __init__(
        self,
        key: schema.Key,
        *,
        load: Callable[..., Value | None],
        fresh: timedelta,
        ttl: timedelta,
        miss_ttl: timedelta = timedelta(seconds=30),
        lease: timedelta = timedelta(seconds=10),
        group: str = "",
        shape: int = 1,
    ) -> None:
        """`invalidate_group` drops all caches of `group`; raise `shape` when the JSON changes its form."""
        if key.type != "hash" or fresh > ttl:
            raise ValueError(f"{key.pattern}: a cache entry is a hash, and fresh for no longer than it lives")
        self.name = re.sub(r":?<\w+>|[{}]", "", key.pattern).replace(":", ".")
        self._key, self._load = key, load
        self._fresh, self._ttl, self._miss_ttl = fresh, ttl, miss_ttl
        self._group = group
        self._flights: dict[str, Future[str]] = {}
        self._entries = Entries(self.name, group=group, shape=shape, lease=lease)
        _cached_keys.append(key)

    def get(self, *parts: Part) -> Value | None:
        """The object of these key parts, or None if there is none; raises Busy and what `load` raises."""
        entry, token = self._entry_key(parts), secrets.token_hex(8)
        found = self._read(entry, token)
        give_up, pause = time.monotonic() + LOAD_WAIT.total_seconds(), MIN_PAUSE_SECONDS
        while found.state is State.WAIT and time.monotonic() < give_up:
            text = self._wait_for_flight(found.value, pause)
            if text is not None:
                return self._decode(text)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)
            found = self._read(entry, token, count=False)
        return self._value_or_load(found, parts, entry, token)

    def peek_many(self, objects: Sequence[tuple[Part, ...]]) -> list[Value | None]:
        """What Redis has of these objects, fresh or not; it loads nothing. For a cache without a group.

        One round trip; None for what isn't cached. Raises client.UNAVAILABLE.
        """
        texts = self._entries.peek_many([self._entry_key(parts) for parts in objects])
        return [self._decode(text) for text in texts]

    def invalidate(self, *parts: Part) -> bool:
        """Forget one object and refuse loads that run already; call it in on_commit. False: Redis is away."""
        return self._drop(partial(self._entries.drop, self._entry_key(parts)))

    def invalidate_many(self, objects: Sequence[tuple[Part, ...]]) -> bool:
        """`invalidate` for many objects in one round trip."""
        return self._drop(partial(self._entries.drop, *map(self._entry_key, objects)))

    def invalidate_group(self) -> bool:
        """Forget every object of the group in one write; False when Redis is away."""
        if not self._group:
            raise TypeError(f"the cache {self.name} has no group")
        return self._drop(partial(self._entries.drop_group, secrets.token_hex(8)))

    def counts(self) -> dict[str, int]:
        """How often each of hit, miss, stale, rebuild and refused happened, in all processes together."""
        return {
            outcome: 0 for outcome in ("hit", "miss", "stale", "rebuild", "refused")
        } | self._entries.counts()

    def _entry_key(self, parts: tuple[Part, ...]) -> str:
        return self._key(**dict(zip(self._key.fields, parts, strict=True)))

    def _read(self, entry: str, token: str, *, count: bool = True) -> ReadResult:
        global _backoff_until
        try:
            if time.monotonic() < _backoff_until:
                return ReadResult(State.AWAY)
            found = self._entries.read(entry, token)
        except client.UNAVAILABLE as error:
            if isinstance(error, exceptions.TimeoutError):
                _backoff_until = time.monotonic() + BACKOFF_SECONDS
            return ReadResult(State.AWAY)
        if count:
            self._entries.count(OUTCOME_BY_STATE[found.state])
        return found

    def _value_or_load(
        self, found: ReadResult, parts: tuple[Part, ...], entry: str, token: str
    ) -> Value | None:
        if found.state is State.LOAD:
            return self._load_and_store(parts, entry, found.generation, token)
        if found.state in (State.AWAY, State.WAIT):
            return self._decode(self._load_encoded(parts))
        if found.state is State.REFRESH:
            work = partial(self._reload, parts, entry, found.generation)
            cache_loads.get().refresh(entry, token, work)
        return cast(Value | None, found.value)

    def _wait_for_flight(self, lease: str, pause: float) -> str | None:
        """The text that a thread of this process loads under that lease; None: read again."""
        flight = self._flights.get(lease)
        if flight is None:
            time.sleep(pause * random.uniform(0.5, 1))
            return None
        wait([flight], timeout=LOAD_WAIT.total_seconds())
        return flight.result() if flight.done() and not flight.exception() else None

    def _load_and_store(
        self, parts: tuple[Part, ...], entry: str, generation: str, token: str
    ) -> Value | None:
        flight = self._flights[token] = Future()
        try:
            text = self._load_encoded(parts)
        except BaseException as error:
            self._release_lease(entry, token)
            flight.set_exception(error)
            raise
        else:
            flight.set_result(text)
        finally:
            del self._flights[token]
        self._store(entry, text, generation, token)
        return self._decode(text)

    def _reload(self, parts: tuple[Part, ...], entry: str, generation: str, token: str) -> None:
        try:
            self._store(entry, self._load_encoded(parts), generation, token)
        except Exception:
            # The lease stays until it ends: a load that fails is not tried again by every reader.
            log.exception("%s: the refresh failed, the old value goes on being served", entry)

    def _store(self, entry: str, text: str, generation: str, token: str) -> None:
        if BUDGET.is_spent:
            self._release_lease(entry, token)
            return
        spread = random.uniform(1 - TTL_SPREAD, 1)
        ttl = self._ttl if text else self._miss_ttl
        new = NewEntry(entry, text, generation, fresh=min(self._fresh, ttl) * spread, ttl=ttl * spread)
        with suppress(*client.UNAVAILABLE):
            self._entries.fill(new, token)

    def _release_lease(self, entry: str, token: str) -> None:
        with suppress(*client.UNAVAILABLE):
            self._entries.release(entry, token)

    def _drop(self, drop: Callable[[], None]) -> bool:
        try:
            drop()
        except client.UNAVAILABLE:
            log.warning("%s: Redis is away, an old value may be served until it expires", self.name)
            return False
        return True

    def _decode(self, text: str) -> Value | None:
        # Every reader gets what JSON makes of a value, also the one that loaded it.
        return cast(Value, json.loads(text)) if text else None

    def _load_encoded(self, parts: tuple[Part, ...]) -> str:
        return cache_loads.get().run(lambda: _encode(self._load(*parts)))


def _encode(value: Any) -> str:
    return (
        "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    )


def reset() -> None:
    """Forget the backoff and the loading threads: tests begin with the settings as they are."""
    global _backoff_until
    _backoff_until = 0.0
    cache_loads.reset()


def forget_all() -> int:
    """Delete every cached object on the server where caches are now; returns how many.

    A server that had caches before holds values whose invalidations went elsewhere.
    """
    connected, forgotten = client.get(CONNECTION), 0
    for raw in connected.scan_iter(match=f"{settings.REDIS_PREFIX}:*", count=1000):
        if any(key.matches(raw) for key in _cached_keys):
            forgotten += int(connected.unlink(raw))
    return forgotten
