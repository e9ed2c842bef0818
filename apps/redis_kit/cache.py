"""Cache-aside for one kind of object: JSON in Redis, SQL behind it, one load at a time for each object.

    SHOP = cache.Cache(keys.SHOP, load=load_shop, fresh=timedelta(minutes=5), ttl=timedelta(hours=1))
    SHOP.get(7)  ->  what load_shop(7) returned, or None
    transaction.on_commit(partial(SHOP.invalidate, 7))

The app declares the key, with type "hash". A value older than `fresh` is served while one thread loads it
again; after `ttl` readers wait until one of them has loaded. None is remembered for `miss_ttl`. When Redis
is away readers load from SQL, a few at once; Busy is raised when too many wait already.

An entry is one hash with the value as JSON and the lease of the reader that loads it, so that deleting the
key also refuses a load that is still running. Freshness is judged by the server's clock.
"""

import json
import logging
import os
import random
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from functools import partial
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.db import connections
from redis import exceptions

from apps.redis_kit import client, eviction, keys, schema, scripts, transport
from apps.redis_kit.transport import Command

#: Name in settings.REDIS_CONNECTIONS; it may move to another server while the site runs.
CONNECTION = "cache"
Value = TypeVar("Value")
Part = schema.Part
Loaded = TypeVar("Loaded")
#: How long a reader without any value waits for another reader's load before it loads itself.
LOAD_WAIT = timedelta(seconds=1)
#: Pauses between two reads of a waiter, in seconds: it may be later than the load by the longest.
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.004, 0.04
#: After a call that ran into its deadline this process leaves Redis alone for so many seconds.
BACKOFF_SECONDS = 1.0
#: Expiries are spread over the last fifth of their time: entries filled together don't expire together.
TTL_SPREAD = 0.2
#: Outcomes are sent along with a read at most this often, in seconds.
COUNTS_EVERY_SECONDS = 1.0
#: Refreshes that may queue for a thread; past it the stale value goes on being served.
MAX_QUEUED_REFRESHES = 1000
MILLISECOND = timedelta(milliseconds=1)
_cached_keys: list[schema.Key] = []
#: Past it nothing more is cached: readers load from SQL.
BUDGET = eviction.MemoryBudget("caches", connection=CONNECTION, keys=_cached_keys, quota=0.3, share=0.8)
log = logging.getLogger(__name__)
_backoff_until = 0.0
_limiter: "LoadLimiter | None" = None
_limiter_lock = threading.Lock()


class Busy(Exception):  # noqa: N818 - a state, not a mistake
    """Too many loads run already: the view answers 503, and Retry-After is `retry_after` seconds."""

    retry_after = 1


class State(IntEnum):
    """What read_cache_entry.lua answers; AWAY is added here for a Redis that is away."""

    FRESH = 1
    STALE = 2
    REFRESH = 3
    WAIT = 4
    LOAD = 5
    AWAY = 6


OUTCOME_BY_STATE = {
    State.FRESH: "hit",
    State.STALE: "stale",
    State.REFRESH: "stale",
    State.WAIT: "miss",
    State.LOAD: "miss",
}


@dataclass(frozen=True)
class ReadResult:
    """The result of a read; a load that begins now belongs to `generation`.

    `value` is decoded; with State.WAIT it is the token of the reader that loads.
    """

    state: State
    value: Any = None
    generation: str = ""


@dataclass(frozen=True)
class NewEntry:
    """A loaded value to store: JSON text, or "" for an object that does not exist."""

    entry: str
    text: str
    generation: str
    fresh: timedelta
    ttl: timedelta


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
        """The object of the given key parts, or None if there is none; raises Busy and what `load` raises."""
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
        """What Redis has of the given objects, fresh or not; it loads nothing. For a cache without a group.

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
            load_limiter().refresh(entry, token, work)
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
        return load_limiter().run(lambda: _encode(self._load(*parts)))


def _encode(value: Any) -> str:
    return (
        "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    )


def reset() -> None:
    """Forget the backoff and the loading threads: tests begin with the settings as they are."""
    global _backoff_until
    _backoff_until = 0.0
    drop_limiter()


def forget_all() -> int:
    """Delete every cached object on the server where caches are now; returns how many.

    A server that had caches before holds values whose invalidations went elsewhere.
    """
    connected, forgotten = client.get(CONNECTION), 0
    for raw in connected.scan_iter(match=f"{settings.REDIS_PREFIX}:*", count=1000):
        if any(key.matches(raw) for key in _cached_keys):
            forgotten += int(connected.unlink(raw))
    return forgotten


#: State, value as text, and the value's generation.
RawRead = tuple[State, str, str]


def _parse_read(raw: Sequence[Any]) -> RawRead:
    return State(raw[0]), str(raw[1]), str(raw[2])


def _decode_reply(state: State, text: str) -> Any:
    if state is State.WAIT:
        return text
    return json.loads(text) if text else None


READ = scripts.Script("read_cache_entry", package="apps.redis_kit", reply=_parse_read)
FILL = scripts.Script("fill_cache_entry", package="apps.redis_kit", reply=bool)
RELEASE = scripts.Script("release_cache_lease", package="apps.redis_kit", reply=bool)


class Entries:
    """Reads and writes the entries of one cache; every method may raise `client.UNAVAILABLE`."""

    def __init__(self, name: str, *, group: str, shape: int, lease: timedelta) -> None:
        self._name, self._group, self._shape = name, group, shape
        self._lease_ms = lease // MILLISECOND
        self._counts: Counter[str] = Counter()
        self._counts_lock = threading.Lock()
        self._counts_due = 0.0

    def read(self, entry: str, token: str) -> ReadResult:
        """The entry in one round trip, or two after its group changed; an unreadable value is dropped."""
        try:
            return self._read(entry, token)
        except (ValueError, RecursionError):
            self.drop(entry)
            return self._read(entry, token)

    def peek_many(self, entries: Sequence[str]) -> list[str]:
        """The stored texts of entries in one round trip; "" where there is none of this shape."""
        commands: list[Command] = [("HMGET", entry, "value", "generation") for entry in entries]
        replies = transport.execute_many(client.get(CONNECTION), commands)
        current = f"{self._shape}."
        return [value or "" if generation == current else "" for value, generation in replies]

    def fill(self, new: NewEntry, token: str) -> None:
        """Store a loaded value; it is refused once the lease is lost."""
        args: list[scripts.Arg] = [
            token,
            new.text,
            new.fresh // MILLISECOND,
            new.ttl // MILLISECOND,
            new.generation,
        ]
        stored = FILL(client.get(CONNECTION), keys=[new.entry], args=args)
        self.count("rebuild" if stored else "refused")

    def release(self, entry: str, token: str) -> None:
        """Give back the lease of a load that failed, so that the next reader loads at once."""
        RELEASE(client.get(CONNECTION), keys=[entry], args=[token])

    def drop(self, *entries: str) -> None:
        """Delete these values and any leases on them, in one round trip."""
        commands: list[Command] = [("DEL", entry) for entry in entries]
        transport.execute_many(client.get(CONNECTION), commands)

    def drop_group(self, generation: str) -> None:
        """Make every entry of the group absent, in all caches that share the group."""
        client.get(CONNECTION).set(keys.CACHE_GENERATION(group=self._group), generation)

    def count(self, outcome: str) -> None:
        """Add one to an outcome; Redis gets it with a later read."""
        with self._counts_lock:
            self._counts[outcome] += 1

    def counts(self) -> dict[str, int]:
        """All outcomes so far, of every process, by name."""
        transport.execute_many(client.get(CONNECTION), self._pending_count_commands())
        stored = cast("dict[str, str]", client.get(CONNECTION).hgetall(keys.CACHE_COUNTS(cache=self._name)))
        return {outcome: int(times) for outcome, times in stored.items()}

    def _read(self, entry: str, token: str) -> ReadResult:
        """Read once, and again for the current generation alone if the stored value is of another one."""
        (state, text, generation), current = self._read_generation(entry, token, wanted="")
        if (text, generation) != ("", "") and generation != current:
            (state, text, _), _ = self._read_generation(entry, token, wanted=current)
        return ReadResult(state, _decode_reply(state, text), current)

    def _read_generation(self, entry: str, token: str, *, wanted: str) -> tuple[RawRead, str]:
        """The script's reply for values of generation `wanted`, "" for any; and the current generation."""
        call: scripts.Call = ([entry], [token, self._lease_ms, wanted])
        (raw,), also = READ.call_many(client.get(CONNECTION), [call], also=self._extra_commands())
        generation = (also[0] or "") if self._group else ""
        return raw, f"{self._shape}.{generation}"

    def _extra_commands(self) -> list[Command]:
        commands: list[Command] = [("GET", keys.CACHE_GENERATION(group=self._group))] if self._group else []
        if time.monotonic() >= self._counts_due:
            commands += self._pending_count_commands()
        return commands

    def _pending_count_commands(self) -> list[Command]:
        """Commands that add the outcomes counted in this process to those in Redis."""
        with self._counts_lock:
            pending, self._counts = self._counts, Counter()
            self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
        counts = keys.CACHE_COUNTS(cache=self._name)
        return [("HINCRBY", counts, outcome, times) for outcome, times in pending.items()]


class LoadLimiter:
    """One process's loads: at most settings.CACHE_LOADS at once, each waiting a bounded time for its slot."""

    def __init__(self) -> None:
        self._slots = threading.BoundedSemaphore(settings.CACHE_LOADS)
        self._thread_state = threading.local()
        self._queued: dict[str, str] = {}
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        if settings.CACHE_REFRESH_THREADS:
            self._threads = ThreadPoolExecutor(settings.CACHE_REFRESH_THREADS, "cache-refresh")

    def run(self, load: Callable[[], Loaded]) -> Loaded:
        """The result of `load()`; Busy when no slot comes free in settings.CACHE_LOAD_WAIT seconds."""
        if getattr(self._thread_state, "load", False):
            # A load that reads another cache has a slot already: waiting for a second could deadlock.
            return load()
        if not self._slots.acquire(timeout=settings.CACHE_LOAD_WAIT):
            raise Busy("too many cache loads at once")
        self._thread_state.load = True
        try:
            return load()
        finally:
            self._thread_state.load = False
            self._slots.release()

    def refresh(self, entry: str, token: str, work: Callable[[str], None]) -> bool:
        """Have a thread call `work(token)`; False when too many are queued. An entry queues once, with its
        newest lease.
        """
        if self._threads is None:
            work(token)
            return True
        with self._lock:
            waiting = entry in self._queued
            if not waiting and len(self._queued) >= MAX_QUEUED_REFRESHES:
                return False
            self._queued[entry] = token
            if not waiting:
                self._threads.submit(self._run_refresh, entry, work)
        return True

    def finish(self) -> None:
        """Wait for the queued refreshes; none can begin after this."""
        if self._threads:
            self._threads.shutdown(wait=True)

    def _run_refresh(self, entry: str, work: Callable[[str], None]) -> None:
        with self._lock:
            # A lease given after this moment would belong to a load that begins later than this one.
            token = self._queued.pop(entry)
        try:
            work(token)
        finally:
            connections.close_all()


def load_limiter() -> LoadLimiter:
    """This process's limiter, built at first use."""
    global _limiter
    with _limiter_lock:
        if _limiter is None:
            _limiter = LoadLimiter()
        return _limiter


def drop_limiter() -> None:
    """Drop the limiter: after a fork, whose child has no threads, and when settings change."""
    global _limiter, _limiter_lock
    _limiter, _limiter_lock = None, threading.Lock()


os.register_at_fork(after_in_child=drop_limiter)
