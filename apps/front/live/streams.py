"""One open stream: what it has sent, what waits until its history is read, and when it ends."""

import asyncio
import random
from collections.abc import Callable
from typing import NamedTuple

from apps.front.live.histories import START, Entry, EntryId
from apps.front.route import Sink

#: A stream ends after so many seconds, or a little more: a log-in that ended must not read on for ever.
MIN_STREAM_SECONDS, MAX_STREAM_SECONDS = 240.0, 360.0
#: Gives the bytes for an event of a plain stream, by its name and its JSON; None leaves it out.
Translate = Callable[[str, str], bytes | None]


class Chunk(NamedTuple):
    """An event as it is written to every stream that reads the topic."""

    entry: Entry
    text: bytes


class Stream:
    """An open stream of a person, or of a visitor to a sale's page."""

    __slots__ = (
        *("user_id", "sink", "topics", "waiting", "replayed", "lock"),
        *("ends_at", "is_closed", "translate", "delivered"),
    )

    def __init__(self, sink: Sink, *, user_id: int, now: float, translate: Translate | None = None) -> None:
        self.sink, self.user_id, self.translate = sink, user_id, translate
        self.topics: set[str] = set()
        #: Events that came while a history is read; None when nothing is being read.
        self.waiting: list[Chunk] | None = None
        #: The last entry of each topic that came from its history: the same may arrive once more.
        self.replayed: dict[str, EntryId] = {}
        self.lock: asyncio.Lock | None = None
        self.ends_at = now + random.uniform(MIN_STREAM_SECONDS, MAX_STREAM_SECONDS)
        self.is_closed, self.delivered = False, 0

    def deliver(self, chunk: Chunk) -> None:
        """Tell the stream an event, or keep it until its history is written."""
        if self.waiting is not None:
            self.waiting.append(chunk)
        elif not self.replayed or not self._was_replayed(chunk.entry):
            self.write(chunk)

    def finish_replay(self, *, after: int = 0) -> None:
        """Write what came meanwhile, but for what the history had, and what is not after that moment."""
        waiting, self.waiting = self.waiting or [], None
        for chunk in waiting:
            if chunk.entry.at > after and not self._was_replayed(chunk.entry):
                self.write(chunk)

    def write(self, chunk: Chunk) -> None:
        """Write an event, translated for a plain stream."""
        text: bytes | None = chunk.text
        if self.translate:
            text = self.translate(chunk.entry.event, chunk.entry.data)
        if text:
            self.send(text)

    def send(self, text: bytes) -> None:
        """Write bytes; a reader that has not taken 64 KiB is cut, and comes back for the rest."""
        if self.is_closed:
            return
        if self.sink.is_slow:
            self.cut()
            return
        self.delivered += 1
        self.sink.write_chunk(text)

    def end(self) -> None:
        """End it after what was written; its client connects again."""
        if not self.is_closed:
            self.is_closed = True
            self.sink.end()

    def cut(self) -> None:
        """Close the connection at once."""
        self.is_closed = True
        self.sink.cut()

    def _was_replayed(self, entry: Entry) -> bool:
        last = self.replayed.get(entry.topic, START)
        if entry.id == START or entry.id > last:
            self.replayed.pop(entry.topic, None)
            return False
        return True
