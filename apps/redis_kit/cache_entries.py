"""The Redis side of one cache: reads and writes entries under leases, and counts the outcomes.

An entry is one hash with the value as JSON and the lease of the reader that loads it, so that deleting
the key also refuses a load that is still running. Freshness is judged by the server's clock.
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

#: Name in settings.REDIS_CONNECTIONS; it may move to another server while the site runs.
CONNECTION = "cache"
MILLISECOND = timedelta(milliseconds=1)
#: Outcomes are sent along with a read at most this often, in seconds.
COUNTS_EVERY_SECONDS = 1.0


class State(IntEnum):
    """What read_cache_entry.lua answers; AWAY is added here for a Redis that is away."""

    FRESH = 1
    STALE = 2
    REFRESH = 3
    WAIT = 4
    LOAD = 5
    AWAY = 6


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


RawRead = tuple[State, str, str]


def _parse_read(raw: Sequence[Any]) -> RawRead:
    return State(raw[0]), str(raw[1]), str(raw[2])


def _decode(state: State, text: str) -> Any:
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
        """The stored texts of these entries in one round trip; "" where there is none of this shape."""
        commands: list[Command] = [("HMGET", entry, "value", "generation") for entry in entries]
        replies = transport.execute_many(client.get(CONNECTION), commands)
        return [value or "" if found == f"{self._shape}." else "" for value, found in replies]

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
        (state, text, found), current = self._read_raw(entry, token, wanted="")
        if (text, found) != ("", "") and found != current:
            (state, text, _), _ = self._read_raw(entry, token, wanted=current)
        return ReadResult(state, _decode(state, text), current)

    def _read_raw(self, entry: str, token: str, *, wanted: str) -> tuple[RawRead, str]:
        """The script's reply, and the generation that counts now."""
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
