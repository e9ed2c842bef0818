"""A consumer loop over streams: every entry is handled at least once, and a bad one harms no other.

    streams.Consumer(queues, group="orders", handle=write, dead_letter=keep, retry_on=SQL_AWAY).run()

Each round takes this consumer's unfinished entries, those of dead consumers, and new ones. An entry that
`handle` returns with an error goes to `dead_letter` at once, and the others are finished. A batch that fails
as a whole is cut in halves until the bad entry is alone. That one is tried again with growing pauses, and
goes to `dead_letter` after `max_deliveries`. While SQL (`retry_on`) or Redis is away the batch waits, and no
delivery counts. Finished entries are deleted, so a stream's length is what is still to be done.

An entry may have several parts (`Parts`). Batches are cut by their number, and `handle` may refuse a part as
an Entry of its own. An entry of several that fails alone, or was delivered twice and never finished, is
replaced by entries of one part each, so that a bad part harms no other.
"""

import logging
import math
import os
import random
import re
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import close_old_connections
from django.utils.translation import gettext_noop
from redis import exceptions

from apps.redis_kit import client, fault_injection, stream_group

Entry = stream_group.Entry
Backlog = stream_group.Backlog
QueueMore = stream_group.QueueMore
#: An entry, or a part of one, that will never be accepted, and the reason.
Refusal = tuple[Entry, Exception]
#: An entry, or a part of one, that goes to the dead letters, and the reason.
DeadLetter = tuple[Entry, str]
read_backlog = stream_group.read_backlog

#: The reason of an entry whose consumers die of it, or the batch never ends.
NEVER_FINISHED = gettext_noop("delivered %(times)s times and never finished")

#: Entries, and stores that are away, are tried again after 0.2, 0.4, 0.8 … seconds, up to the second.
FIRST_PAUSE_SECONDS = 0.2
MAX_PAUSE_SECONDS = 5.0
#: Seconds between two sweeps for unfinished entries, between two removals of idle consumers, and between two
#: looks for entries behind the group.
SWEEP_SECONDS = 1.0
DISMISS_SECONDS = 60.0
REWIND_SECONDS = 5.0
#: An entry that was delivered more often may have killed its readers: it is processed alone.
SAFE_DELIVERIES = 2
#: A cluster can't block on streams of several slots: it is read again after this many seconds.
CLUSTER_POLL_SECONDS = 0.05

log = logging.getLogger(__name__)


class Parts(NamedTuple):
    """How an entry that has several parts is read, each a matter of its own; without it an entry is one.

    `count` says by an entry's fields how many it has, `split` which fields each has as an entry of its own.
    `most` is about the most of an entry: a read of a batch begins with so few entries.
    """

    count: Callable[[Mapping[str, str]], int]
    split: Callable[[Mapping[str, str]], Sequence[Mapping[str, str]]]
    most: int


ONE_PART = Parts(count=lambda _: 1, split=lambda fields: [fields], most=1)


class Stopped(Exception):  # noqa: N818 - not an error
    """`stop()` was called while a store is away: another consumer takes the entries over."""


class Consumer:
    """One consumer, for one thread. `handle` and `after` must be safe to repeat for the same entries."""

    def __init__(
        self,
        streams: Sequence[str],
        *,
        group: str,
        handle: Callable[[list[Entry]], Sequence[Refusal] | None],
        dead_letter: Callable[[Sequence[DeadLetter]], object],
        parts: Parts = ONE_PART,
        after: QueueMore | None = None,
        recover: Callable[[], object] | None = None,
        retry_on: tuple[type[Exception], ...] = (),
        beat: Callable[[], object] = close_old_connections,
        batch: int = 100,
        block: timedelta = timedelta(seconds=1),
        gather: timedelta = timedelta(),
        min_idle: timedelta = timedelta(seconds=30),
        max_deliveries: int = 5,
        forget_after: timedelta = timedelta(minutes=10),
        connection: str = "blocking",
    ) -> None:
        """`min_idle` is longer than the slowest batch, `block` shorter than the connection's deadline.

        `recover` is called at the start, after an outage of Redis and now and then: the server may be older.
        `gather` is a pause after a batch that was not full: the next is larger and costs less an entry.
        `batch` is a number of parts.
        """
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._group = stream_group.Group(streams, group=group, consumer=self.name, connection=connection)
        self._handle, self._dead_letter, self._after, self._beat = handle, dead_letter, after, beat
        self._recover, self._parts = recover, parts
        self._away: tuple[type[Exception], ...] = (*retry_on, *client.UNAVAILABLE)
        self._batch, self._block, self._gather, self._min_idle = batch, block, gather, min_idle
        self._max_deliveries, self._forget_after = max_deliveries, forget_after
        self._stopping = threading.Event()
        self._pauses = backoff_seconds()
        self._sweep_due = self._dismiss_due = self._rewind_due = 0.0

    def run(self) -> None:
        """Rounds until `stop()`, SIGTERM or SIGINT; the batch under way is finished first."""
        if threading.current_thread() is threading.main_thread():
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: self.stop())
        while not self._stopping.is_set():
            self.round()
        self._leave_group()

    def stop(self) -> None:
        """Read no more entries; `run` returns within the block time, or when its batch is done."""
        self._stopping.set()

    def round(self) -> int:
        """Do one round and return how many entries came. An absent Redis or group is survived."""
        self._beat()
        try:
            entry_count = self._sweep() + self._read()
        except client.UNAVAILABLE as error:
            log.warning("Redis is away (%s), waiting", error)
            # The server that comes back may be older.
            self._rewind_due = 0.0
            self._stopping.wait(next(self._pauses))
            return 0
        except exceptions.ResponseError as error:
            if not re.search("NOGROUP|UNBLOCKED", str(error)):
                raise
            # The stream is gone, and most likely all that the server had.
            self._group.create()
            self._rewind_due = 0.0
            return 0
        self._pauses = backoff_seconds()
        return entry_count

    def drain(self, max_rounds: int = 1_000) -> int:
        """Rounds until one finds nothing, and return how many entries came: for a scheduled job."""
        self._group.create()
        total = 0
        for _ in range(max_rounds):
            entry_count = self.round()
            total += entry_count
            if not entry_count:
                break
        self._leave_group()
        return total

    def redeliver(self) -> int:
        """Process unfinished entries, this consumer's and those of dead ones; how many there were."""
        pending = [
            entry for entry in self._group.pending_entries(min_idle=self._min_idle) if self._is_due(entry)
        ]
        # An entry that was delivered twice may have killed its reader: only one by one is safe.
        batches = [
            [entry for entry in pending if entry.deliveries < SAFE_DELIVERIES],
            *([entry] for entry in pending if entry.deliveries >= SAFE_DELIVERIES),
        ]
        return sum(self._reprocess(batch) for batch in batches if batch and not self._stopping.is_set())

    def _sweep(self) -> int:
        now = time.monotonic()
        if now >= self._dismiss_due:
            self._dismiss_due = now + DISMISS_SECONDS
            self._group.dismiss(idle=self._forget_after)
        if now >= self._rewind_due:
            self._rewind_due = now + REWIND_SECONDS
            self._group.rewind()
            if self._recover:
                self._recover()
        if now < self._sweep_due:
            return 0
        self._sweep_due = now + SWEEP_SECONDS
        return self.redeliver()

    def _read(self) -> int:
        entries = self._read_batch()
        fault_injection.point("read")
        self._in_batches(entries)
        if not entries and not self._group.can_block:
            self._stopping.wait(CLUSTER_POLL_SECONDS)
        if entries and self._count_parts(entries) < self._batch:
            self._stopping.wait(self._gather.total_seconds())
        return len(entries)

    def _read_batch(self) -> list[Entry]:
        """New entries with about a batch of parts a stream; how many they have is seen by reading some."""
        count = max(1, self._batch // self._parts.most)
        entries = found = self._group.read_new(count=count, block=self._block)
        while len(found) >= count and (parts := self._count_parts(entries)) < self._batch:
            count = min(4 * count, math.ceil((self._batch - parts) * len(entries) / parts))
            found = self._group.read_new(count=count, block=None)
            entries = entries + found
        return entries

    def _count_parts(self, entries: Sequence[Entry]) -> int:
        return sum(self._parts.count(entry.fields) for entry in entries)

    def _is_due(self, entry: stream_group.PendingEntry) -> bool:
        pause = min(FIRST_PAUSE_SECONDS * 2 ** min(entry.deliveries - 1, 10), MAX_PAUSE_SECONDS)
        return not entry.is_own or entry.idle.total_seconds() >= pause

    def _reprocess(self, pending: Sequence[stream_group.PendingEntry]) -> int:
        entries = self._group.claim(pending, min_idle=self._min_idle)
        given_up = [entry for entry in entries if entry.deliveries > self._most_deliveries(entry)]
        for entry in given_up:
            self._give_up(entry, NEVER_FINISHED % {"times": entry.deliveries - 1})
        self._in_batches([entry for entry in entries if entry not in given_up])
        return len(entries)

    def _most_deliveries(self, entry: Entry) -> int:
        has_several = self._count_parts([entry]) > 1
        return min(SAFE_DELIVERIES, self._max_deliveries) if has_several else self._max_deliveries

    def _in_batches(self, entries: Sequence[Entry]) -> None:
        batch, size = list[Entry](), 0
        for entry in entries:
            parts = self._count_parts([entry])
            if size + parts > self._batch:
                self._process(batch)
                batch, size = [], 0
            batch.append(entry)
            size += parts
        self._process(batch)

    def _process(self, entries: list[Entry]) -> None:
        if not entries:
            return
        failure: Exception | None = None
        refused: list[Refusal] = []
        try:
            self._with_backoff(entries, lambda: refused.extend(self._handle(entries) or ()))
        except Stopped:
            return
        except Exception as error:
            failure = error
        if failure:
            self._isolate(entries, failure)
            return
        fault_injection.point("handled")
        self._settle(self._finished_entries(entries, refused))

    def _isolate(self, entries: list[Entry], error: Exception) -> None:
        if len(entries) > 1:
            half = len(entries) // 2
            self._process(entries[:half])
            self._process(entries[half:])
            return
        entry = entries[0]
        log.error(
            "%s: entry %s failed, delivery %d", entry.stream, entry.id, entry.deliveries, exc_info=error
        )
        if entry.deliveries >= self._max_deliveries or self._count_parts(entries) > 1:
            self._give_up(entry, _describe_error(error))

    def _finished_entries(self, entries: list[Entry], refused: Sequence[Refusal]) -> list[Entry]:
        """The entries to settle: all but the refused ones that `dead_letter` could not take."""
        for entry, error in refused:
            log.error("%s: entry %s refused: %s", entry.stream, entry.name, error)
        left = self._send_dead_letters([(entry, _describe_error(error)) for entry, error in refused])
        waiting = {(entry.stream, entry.id) for entry in left}
        return [entry for entry in entries if (entry.stream, entry.id) not in waiting]

    def _give_up(self, entry: Entry, reason: str) -> None:
        """No more tries: the entry becomes a dead letter, or entries of one part each."""
        if self._count_parts([entry]) > 1:
            self._split(entry)
        elif not self._send_dead_letters([(entry, reason)]):
            self._settle([entry])

    def _split(self, entry: Entry) -> None:
        parts = self._parts.split(entry.fields)
        log.warning("%s: entry %s is split into its %d parts", entry.stream, entry.id, len(parts))
        try:
            self._with_backoff([entry], lambda: self._group.split(entry, parts))
        except Stopped:
            return
        except exceptions.RedisError:
            log.exception("could not split entry %s, it will come again", entry.id)
            return
        fault_injection.point("split")

    def _send_dead_letters(self, dead_letters: Sequence[DeadLetter]) -> list[Entry]:
        """Hand them over together, or one by one where that fails; returns the entries that still wait."""
        entries = [entry for entry, _ in dead_letters]
        if not dead_letters:
            return []
        try:
            self._with_backoff(entries, lambda: self._dead_letter(dead_letters))
        except Stopped:
            return entries
        except Exception:
            if len(dead_letters) > 1:
                return [
                    entry for dead_letter in dead_letters for entry in self._send_dead_letters([dead_letter])
                ]
            log.exception(
                "%s: entry %s could not become a dead letter and will come again",
                entries[0].stream,
                entries[0].name,
            )
            return entries
        return []

    def _settle(self, entries: list[Entry]) -> None:
        try:
            self._with_backoff(entries, lambda: self._group.settle(entries, self._after))
        except Stopped:
            return
        except exceptions.RedisError:
            log.exception("could not settle %d entries, they will come again", len(entries))
            return
        fault_injection.point("settled")

    def _with_backoff(self, entries: list[Entry], act: Callable[[], object]) -> None:
        for pause in backoff_seconds():
            try:
                act()
                return
            except self._away as error:
                log.warning("a store is away (%s: %s), waiting %.1f s", type(error).__name__, error, pause)
                self._keep_claimed(entries)
                if self._stopping.wait(pause):
                    raise Stopped from error
                self._beat()

    def _keep_claimed(self, entries: list[Entry]) -> None:
        try:
            self._group.keep_claimed(entries)
        except exceptions.RedisError as error:
            log.warning("could not keep %d entries: %s", len(entries), error)

    def _leave_group(self) -> None:
        try:
            self._group.dismiss(self.name)
        except exceptions.RedisError as error:
            log.warning("could not leave the group: %s", error)


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def backoff_seconds() -> Iterator[float]:
    """Yield the seconds before each further try: doubled up to MAX_PAUSE_SECONDS, spread at random."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        yield pause * random.uniform(0.5, 1)
        pause = min(pause * 2, MAX_PAUSE_SECONDS)
