"""Cache-aside for one kind of object: JSON in Redis, SQL behind it, one load at a time per object.

    SHOP = cache.Cache(keys.SHOP, load=load_shop, fresh=timedelta(minutes=5), ttl=timedelta(hours=1))
    SHOP.get(7)  ->  what load_shop(7) returned, or None
    transaction.on_commit(partial(SHOP.invalidate, 7))

The key is declared by the app, with type "hash". A value past `fresh` is served while one thread loads
it again; past `ttl` readers wait for one of them to load. None is remembered for `miss_ttl`. When Redis
is away readers load from SQL, a few at once; `Busy` says that too many wait already.
"""

import json
import logging
import random
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, Generic, TypeVar, cast

from redis import exceptions

from apps.redis_kit import cache_loads, client, schema
from apps.redis_kit.cache_entries import Entries, NewEntry, ReadResult, State

Value = TypeVar("Value")
Part = schema.Part
Busy = cache_loads.Busy

#: How long a reader without any value waits for somebody else's load before it loads itself.
LOAD_WAIT = timedelta(seconds=1)
#: Pauses between two looks, in seconds; the longest is how much later than the load a waiter may be.
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.004, 0.04
#: After a call that ran into its deadline nobody else waits for Redis for this many seconds.
BACKOFF_SECONDS = 1.0
#: Expiries are spread over the last fifth of their time, so that what was filled together parts again.
TTL_SPREAD = 0.2

OUTCOME_BY_STATE = {
    State.FRESH: "hit",
    State.STALE: "stale",
    State.REFRESH: "stale",
    State.WAIT: "miss",
    State.LOAD: "miss",
}

log = logging.getLogger(__name__)
_backoff_until = 0.0


class Cache(Generic[Value]):
    """One kind of object; `load` takes the key's parts in order and returns something JSON can hold."""

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
        load_many: Callable[[list[Any]], Mapping[Any, Value]] | None = None,
    ) -> None:
        """`group` names what `invalidate_group` drops; raise `shape` when the JSON changes its form."""
        if key.type != "hash" or fresh > ttl:
            raise ValueError(f"{key.pattern}: a cache entry is a hash, and fresh for no longer than it lives")
        self.name = re.sub(r":?<\w+>|[{}]", "", key.pattern).replace(":", ".")
        self._key, self._load, self._load_many = key, load, load_many
        self._fresh, self._ttl, self._miss_ttl = fresh, ttl, miss_ttl
        self._group = group
        self._flights: dict[str, Future[str]] = {}
        self._entries = Entries(self.name, group=group, shape=shape, lease=lease)

    def get(self, *parts: Part) -> Value | None:
        """The object of these key parts, or None if there is none; raises Busy and what `load` raises."""
        entry, token = self._entry_key(parts), secrets.token_hex(8)
        found = self._read([entry], token)[0]
        give_up, pause = time.monotonic() + LOAD_WAIT.total_seconds(), MIN_PAUSE_SECONDS
        while found.state is State.WAIT and time.monotonic() < give_up:
            text = self._wait_for_flight(found.value, pause)
            if text is not None:
                return self._decode(text)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)
            found = self._read([entry], token, count=False)[0]
        return self._value_or_load(found, parts, entry, token)

    def get_many(self, ids: Iterable[Part]) -> dict[Part, Value | None]:
        """Objects by id, for a key of one part: one round trip for the cached, `load_many` for the rest."""
        wanted, token = list(dict.fromkeys(ids)), secrets.token_hex(8)
        entries = [self._entry_key((id_,)) for id_ in wanted]
        found = dict(zip(wanted, self._read(entries, token), strict=True))
        values = self._load_missing(found, token)
        for id_, entry in zip(wanted, entries, strict=True):
            if found[id_].state is State.WAIT:
                values[id_] = self.get(id_)
            elif id_ not in values:
                values[id_] = self._value_or_load(found[id_], (id_,), entry, token)
        return {id_: values[id_] for id_ in wanted}

    def invalidate(self, *parts: Part) -> bool:
        """Forget one object and refuse loads under way; call it in on_commit. False when Redis is away."""
        return self._drop(partial(self._entries.drop, self._entry_key(parts)))

    def invalidate_group(self) -> bool:
        """Forget every object of the group in one write; False when Redis is away."""
        if not self._group:
            raise TypeError(f"the cache {self.name} has no group")
        return self._drop(partial(self._entries.drop_group, secrets.token_hex(8)))

    def counts(self) -> dict[str, int]:
        """hit, miss, stale, rebuild, refused: times each happened, in every process."""
        return {
            outcome: 0 for outcome in ("hit", "miss", "stale", "rebuild", "refused")
        } | self._entries.counts()

    def _entry_key(self, parts: tuple[Part, ...]) -> str:
        return self._key(**dict(zip(self._key.fields, parts, strict=True)))

    def _read(self, entries: list[str], token: str, *, count: bool = True) -> list[ReadResult]:
        global _backoff_until
        try:
            if not entries or time.monotonic() < _backoff_until:
                return [ReadResult(State.AWAY)] * len(entries)
            found = self._entries.read(entries, token)
        except client.UNAVAILABLE as error:
            if isinstance(error, exceptions.TimeoutError):
                _backoff_until = time.monotonic() + BACKOFF_SECONDS
            return [ReadResult(State.AWAY)] * len(entries)
        for one in found if count else ():
            self._entries.count(OUTCOME_BY_STATE[one.state])
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
        """What the holder of the lease loads, if it is a thread of ours; None: look again."""
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
            self._release_leases([entry], token)
            flight.set_exception(error)
            raise
        else:
            flight.set_result(text)
        finally:
            del self._flights[token]
        self._store({entry: text}, generation, token)
        return self._decode(text)

    def _reload(self, parts: tuple[Part, ...], entry: str, generation: str, token: str) -> None:
        try:
            self._store({entry: self._load_encoded(parts)}, generation, token)
        except Exception:
            # The lease stays until it ends: a load that fails is not tried again by every reader.
            log.exception("%s: the refresh failed, the old value goes on being served", entry)

    def _store(self, texts: Mapping[str, str], generation: str, token: str) -> None:
        fillings = [self._build_entry(entry, text, generation) for entry, text in texts.items()]
        with suppress(*client.UNAVAILABLE):
            self._entries.fill(fillings, token)

    def _build_entry(self, entry: str, text: str, generation: str) -> NewEntry:
        spread = random.uniform(1 - TTL_SPREAD, 1)
        ttl = self._ttl if text else self._miss_ttl
        return NewEntry(entry, text, generation, fresh=min(self._fresh, ttl) * spread, ttl=ttl * spread)

    def _release_leases(self, entries: Iterable[str], token: str) -> None:
        with suppress(*client.UNAVAILABLE):
            for entry in entries:
                self._entries.release(entry, token)

    def _drop(self, drop: Callable[[], None]) -> bool:
        try:
            drop()
        except client.UNAVAILABLE:
            log.warning("%s: Redis is away, an old value may be served until it expires", self.name)
            return False
        return True

    def _decode(self, text: str) -> Value | None:
        # Every reader gets what JSON makes of a value, the one who loaded it too.
        return cast(Value, json.loads(text)) if text else None

    def _load_encoded(self, parts: tuple[Part, ...]) -> str:
        return cache_loads.get().run(lambda: _encode(self._load(*parts)))

    def _load_missing(self, found: Mapping[Part, ReadResult], token: str) -> dict[Part, Value | None]:
        """`load_many` for what this reader has to load, stored under its leases."""
        wanted = [id_ for id_, one in found.items() if one.state in (State.LOAD, State.AWAY)]
        leased = {id_: self._entry_key((id_,)) for id_ in wanted if found[id_].state is State.LOAD}
        if not wanted or not self._load_many:
            return {}
        try:
            loaded = cache_loads.get().run(partial(self._load_many, wanted))
            texts = {id_: _encode(loaded.get(id_)) for id_ in wanted}
        except BaseException:
            self._release_leases(leased.values(), token)
            raise
        if leased:
            generation = found[next(iter(leased))].generation
            self._store({entry: texts[id_] for id_, entry in leased.items()}, generation, token)
        return {id_: self._decode(text) for id_, text in texts.items()}


def _encode(value: Any) -> str:
    return (
        "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    )


def reset() -> None:
    """Start over in a test: no rest for Redis, threads and places by the present settings."""
    global _backoff_until
    _backoff_until = 0.0
    cache_loads.reset()
