"""A small world for tests of the consumer: what was handled, what failed, what was buried."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import redis

from apps.redis_kit import client, streams
from tests import sites
from tests.redis_kit.keys import QUEUE

GROUP = "workers"
STREAMS = [QUEUE(number=1), QUEUE(number=2)]
MIN_IDLE = timedelta(seconds=30)


class SqlAway(Exception):
    """What the database driver raises while there is no server."""


class RecordingHandler:
    """Handles entries: `done` by entry id; fails for those with a field "poison", waits while `sql_away`."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.batches: list[int] = []
        self.buried: list[tuple[str, str]] = []
        self.sql_away = 0
        self.during: Callable[[], object] = lambda: None

    def handle(self, entries: list[streams.Entry]) -> None:
        if self.sql_away:
            self.sql_away -= 1
            raise SqlAway("no server")
        self.batches.append(len(entries))
        self.during()
        for entry in entries:
            if "poison" in entry.fields:
                raise KeyError(entry.fields["poison"])
        self.done.update(entry.id for entry in entries)

    def bury(self, letters: Sequence[streams.DeadLetter]) -> None:
        if self.sql_away:
            self.sql_away -= 1
            raise SqlAway("no server")
        self.buried += [(entry.id, reason) for entry, reason in letters]

    def consumer(self, names: list[str] | None = None, **options: Any) -> streams.Consumer:
        chosen: dict[str, Any] = {
            "group": GROUP,
            "handle": self.handle,
            "dead_letter": self.bury,
            "retry_on": (SqlAway,),
            "beat": lambda: None,
            "block": timedelta(milliseconds=10),
            "min_idle": MIN_IDLE,
        }
        return streams.Consumer(names or STREAMS, **(chosen | options))


def add(many: int = 1, stream: str = STREAMS[0], **fields: Any) -> list[str]:
    """Add entries, numbered by the field n; their ids."""
    connected = client.get()
    entries: list[dict[Any, Any]] = [{"n": number, **fields} for number in range(many)]
    return [str(connected.xadd(stream, entry)) for entry in entries]


#: An entry with the field "texts" has a part for each word, which has the field "text".
SEVERAL = streams.Parts(
    count=lambda fields: len(fields["texts"].split()) if "texts" in fields else 1,
    split=lambda fields: (
        [{"text": text} for text in fields["texts"].split()] if "texts" in fields else [fields]
    ),
    most=4,
)


class SeveralHandler:
    """Handles parts: `done` by text; refuses those with "never", fails for those with "poison"."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.batches: list[int] = []
        self.buried: list[tuple[str, str, str]] = []

    def handle(self, entries: list[streams.Entry]) -> list[streams.Refusal]:
        parts = [
            replace(entry, fields=fields, part=number)
            for entry in entries
            for number, fields in enumerate(SEVERAL.split(entry.fields), start=1)
        ]
        self.batches.append(len(parts))
        if any("poison" in part.fields["text"] for part in parts):
            raise KeyError("poison")
        self.done.update(part.fields["text"] for part in parts if "never" not in part.fields["text"])
        return [(part, ValueError("never")) for part in parts if "never" in part.fields["text"]]

    def bury(self, letters: Sequence[streams.DeadLetter]) -> None:
        self.buried += [(entry.name, entry.fields["text"], reason) for entry, reason in letters]


def add_several(*texts: str) -> str:
    """Add one entry with these parts; its id."""
    return str(client.get().xadd(STREAMS[0], {"texts": " ".join(texts)}))


def drain(consumer: streams.Consumer, *, rounds: int = 50) -> None:
    """Rounds until nothing is left to do, or so many."""
    for _ in range(rounds):
        consumer.round()
        backlog = streams.read_backlog(client.get(), STREAMS, GROUP)
        if backlog.lag == backlog.pending == 0:
            return


def make_idle(seconds: float = 60, *, connected: redis.Redis | None = None) -> None:
    """Make every pending entry that much longer idle, with the same owner and count."""
    connected = connected or client.get()
    for stream in STREAMS:
        rows: Any = (
            connected.xpending_range(stream, GROUP, "-", "+", 1000) if connected.exists(stream) else []
        )
        for row in rows:
            idle = int(row["time_since_delivered"] + seconds * 1000)
            connected.xclaim(
                stream,
                GROUP,
                row["consumer"],
                0,
                [row["message_id"]],
                idle=idle,
                retrycount=row["times_delivered"],
                justid=True,
            )


def deliveries(stream: str = STREAMS[0]) -> list[int]:
    rows: Any = client.get().xpending_range(stream, GROUP, "-", "+", 1000)
    return [row["times_delivered"] for row in rows]


def run(consumer: streams.Consumer) -> threading.Thread:
    """The consumer's loop in a thread of its own, begun; it outlives no process whose test failed."""
    thread = threading.Thread(target=consumer.run, daemon=True)
    thread.start()
    return thread


class Children:
    """Forked children that each do one thing; `end` kills those that a failed test left."""

    def __init__(self) -> None:
        self._running: set[int] = set()

    def start(self, act: Callable[[], object]) -> int:
        """The process id of a child that does only this; it ends with 0, or with 1 after an exception."""
        child = os.fork()
        if child:
            self._running.add(child)
            return child
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)

    def ending(self, child: int) -> int:
        """Wait for it: 0, 256 after an exception, or the signal's number."""
        ended = os.waitpid(child, 0)[1]
        self._running.remove(child)
        return ended

    def end(self) -> None:
        for child in list(self._running):
            os.kill(child, signal.SIGKILL)
            self.ending(child)


def wait_until(done: Callable[[], bool], *, seconds: float = 5) -> None:
    sites.wait_until(done, seconds=seconds, every=0.005)
