"""The Redis side of one cache: entries under leases, a generation per group, and counts of what happened.

An entry is one hash that holds the value as JSON and the lease of whoever loads it, so that deleting
the key also refuses a load that is still under way. Freshness is judged by the server's clock.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from typing import Any, cast

from apps.redis_kit import client, keys, scripts, transport
from apps.redis_kit.transport import Command

MILLISECOND = timedelta(milliseconds=1)
#: Counts travel with a read that happens anyway; this is how long they may wait for one.
COUNTS_EVERY_SECONDS = 1.0


class State(IntEnum):
    """What cache_read.lua answers; AWAY is ours, for a Redis that does not."""

    FRESH = 1
    STALE = 2
    REFRESH = 3
    WAIT = 4
    LOAD = 5
    AWAY = 6


@dataclass(frozen=True)
class ReadResult:
    """What a read found; a load that begins now belongs to `generation`.

    `value` is decoded; with WAIT it is the token of the reader who loads.
    """

    state: State
    value: Any = None
    generation: str = ""


@dataclass(frozen=True)
class NewEntry:
    """A loaded value on its way in: JSON text, or "" for "no such thing"."""

    entry: str
    text: str
    generation: str
    fresh: timedelta
    ttl: timedelta


RawRead = tuple[State, str, str]


def _parse_read(raw: Sequence[Any]) -> RawRead:
    return State(raw[0]), str(raw[1]), str(raw[2])


def _decode(state: State, text: str) -> Any:
    if state is State.WAIT:
        return text
    return json.loads(text) if text else None


#: Answers that carry a value.
STATES_WITH_VALUE = (State.FRESH, State.STALE, State.REFRESH)
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

    def read(self, entries: Sequence[str], token: str) -> list[ReadResult]:
        """Each entry in turn, in one round trip; a value that can't be read is dropped and absent."""
        try:
            return self._read(entries, token)
        except (ValueError, RecursionError):
            return [self._read_one(entry, token) for entry in entries]

    def fill(self, fillings: Sequence[NewEntry], token: str) -> None:
        """Store loaded values in one round trip; those whose lease was lost meanwhile are refused."""
        calls: list[scripts.Call] = [
            ([one.entry], [token, one.text, one.fresh // MILLISECOND, one.ttl // MILLISECOND, one.generation])
            for one in fillings
        ]
        for stored in FILL.call_many(client.get(), calls)[0]:
            self.count("rebuild" if stored else "refused")

    def release(self, entry: str, token: str) -> None:
        """Give the lease back after a load that failed."""
        RELEASE(client.get(), keys=[entry], args=[token])

    def drop(self, entry: str) -> None:
        """Delete the value and any lease on it."""
        client.get().delete(entry)

    def drop_group(self, generation: str) -> None:
        """Make every entry of the group absent, whichever cache it is in."""
        client.get().set(keys.CACHE_GENERATION(group=self._group), generation)

    def count(self, outcome: str) -> None:
        """Remember an outcome; it is written along with a later read."""
        with self._counts_lock:
            self._counts[outcome] += 1

    def counts(self) -> dict[str, int]:
        """All outcomes so far, of every process, by name."""
        transport.execute_many(client.get(), self._pending_count_commands())
        stored = cast("dict[str, str]", client.get().hgetall(keys.CACHE_COUNTS(cache=self._name)))
        return {outcome: int(times) for outcome, times in stored.items()}

    def _read_one(self, entry: str, token: str) -> ReadResult:
        try:
            return self._read([entry], token)[0]
        except (ValueError, RecursionError):
            self.drop(entry)
            return self._read([entry], token)[0]

    def _read(self, entries: Sequence[str], token: str) -> list[ReadResult]:
        raw, generation = self._read_raw(entries, token, wanted="")
        outdated = [
            place for place, found in enumerate(raw) if found[1:] != ("", "") and found[2] != generation
        ]
        if outdated:
            again, _ = self._read_raw([entries[place] for place in outdated], token, wanted=generation)
            for place, found in zip(outdated, again, strict=True):
                raw[place] = found
        return [ReadResult(state, _decode(state, text), generation) for state, text, _ in raw]

    def _read_raw(self, entries: Sequence[str], token: str, *, wanted: str) -> tuple[list[RawRead], str]:
        calls: list[scripts.Call] = [([entry], [token, self._lease_ms, wanted]) for entry in entries]
        raw, also = READ.call_many(client.get(), calls, also=self._extra_commands())
        generation = (also[0] or "") if self._group else ""
        return raw, f"{self._shape}.{generation}"

    def _extra_commands(self) -> list[Command]:
        generation = [("GET", keys.CACHE_GENERATION(group=self._group))] if self._group else []
        return [
            *generation,
            *(self._pending_count_commands() if time.monotonic() >= self._counts_due else []),
        ]

    def _pending_count_commands(self) -> list[Command]:
        """What writes down the outcomes that wait for it."""
        with self._counts_lock:
            pending, self._counts = self._counts, Counter()
            self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
        held = keys.CACHE_COUNTS(cache=self._name)
        return [("HINCRBY", held, outcome, times) for outcome, times in pending.items()]
