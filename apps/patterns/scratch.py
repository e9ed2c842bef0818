"""Scratch keys of one demonstration: declared, few, tagged by the run, and removed when it ends.

    with scratch.opened() as run:
        stock = run.key("string", "stock")

Each key is noted before it is written. What a killed process leaves behind is removed by the next run that
begins more than LIFETIME_SECONDS later.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

from apps.patterns import keys
from apps.redis_kit import client, schema, transport

LIFETIME_SECONDS = 60
#: Keys that one run may use.
MAX_KEYS = 64
#: Forgotten keys that one run removes.
MAX_SWEPT_KEYS = 256


class Scratch:
    """The keys of one run; `run` is its random name."""

    def __init__(self) -> None:
        self.run = secrets.token_hex(6)
        self._keys: dict[str, None] = {}
        self._numbers = count(1)

    @property
    def prefix(self) -> str:
        """What the names of this run's keys begin with."""
        return keys.SCRATCH["string"](run=self.run, name="x").removesuffix("string:x")

    def key(self, type_: schema.KeyType, name: str) -> str:
        """The scratch key of that type and name."""
        return self.own(keys.SCRATCH[type_](run=self.run, name=name))

    def own(self, key: str) -> str:
        """Have a key, also one that redis_kit built for a name of this run, removed with the run."""
        if key not in self._keys:
            if len(self._keys) >= MAX_KEYS:
                raise ValueError(f"a run uses at most {MAX_KEYS} keys")
            ends = int(time.time()) + LIFETIME_SECONDS
            transport.execute(client.get(), ("ZADD", keys.SCRATCH_NAMES(), ends, key))
            self._keys[key] = None
        return key

    @property
    def names(self) -> list[str]:
        """The run's keys, in the order in which they were first used."""
        return list(self._keys)

    def do(self, *words: transport.Arg) -> Any:
        """The server's reply to one command, in one round trip."""
        return transport.execute(client.get(), words)

    def name(self, noun: str) -> str:
        """A name for an object of redis_kit, such as a lock, that no other run has."""
        return f"scratch-{self.run}-{noun}"

    def next_number(self) -> int:
        """1, 2, 3 and so on: the next person, job or message of this run."""
        return next(self._numbers)

    def clear(self) -> None:
        """Remove the run's keys."""
        if self._keys:
            _remove(list(self._keys))
            self._keys.clear()


@contextmanager
def opened() -> Iterator[Scratch]:
    """Scratch keys for the block; raises client.UNAVAILABLE when Redis is away."""
    _sweep()
    run = Scratch()
    try:
        yield run
    finally:
        with suppress(*client.UNAVAILABLE):
            run.clear()


def _sweep() -> None:
    """Remove what killed processes left behind."""
    late = ("ZRANGE", keys.SCRATCH_NAMES(), "-inf", int(time.time()), "BYSCORE", "LIMIT", 0, MAX_SWEPT_KEYS)
    if names := transport.execute(client.get(), late):
        _remove(names)


def _remove(names: list[str]) -> None:
    commands: list[transport.Command] = [("UNLINK", name) for name in names]
    transport.execute_many(client.get(), [*commands, ("ZREM", keys.SCRATCH_NAMES(), *names)])
