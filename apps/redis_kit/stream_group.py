"""The Redis side of a stream consumer: reads, claims and settles entries of a consumer group.

Every method may raise client.UNAVAILABLE.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import redis
from redis import exceptions
from redis.client import Pipeline

from apps.redis_kit import client, scripts

MILLISECOND = timedelta(milliseconds=1)
#: Pending entries read in one sweep, per stream.
MAX_SWEEP_ENTRIES = 1_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """One stream entry as delivered to this consumer, for the `deliveries`-th time, or a `part` of it."""

    stream: str
    id: str
    fields: Mapping[str, str]
    deliveries: int = 1
    part: int | None = None

    @property
    def name(self) -> str:
        """Its id, and which part of the entry it is: "1764427200000-0/3"."""
        return self.id if self.part is None else f"{self.id}/{self.part}"


@dataclass(frozen=True)
class PendingEntry:
    """An entry that was delivered to a consumer (`is_own`: to this one) and not finished."""

    stream: str
    id: str
    is_own: bool
    idle: timedelta
    deliveries: int


@dataclass(frozen=True)
class Backlog:
    """How far a group is behind: entries never delivered, entries not finished, age of the oldest in ms."""

    lag: int = 0
    pending: int = 0
    oldest_ms: int = 0


def _parse_claimed(raw: Sequence[Any]) -> tuple[dict[str, dict[str, str]], list[str]]:
    claimed = {str(id_): dict(zip(flat[::2], flat[1::2], strict=True)) for id_, flat in raw[0]}
    return claimed, [str(id_) for id_ in raw[1]]


CLAIM = scripts.Script("claim_entries", package="apps.redis_kit", reply=_parse_claimed)
SETTLE = scripts.Script("settle_entries", package="apps.redis_kit", reply=int)
SPLIT = scripts.Script("split_entry", package="apps.redis_kit", reply=int)
DISMISS = scripts.Script("dismiss_consumers", package="apps.redis_kit", reply=int)
REWIND = scripts.Script("rewind_group", package="apps.redis_kit", reply=int)
BACKLOG = scripts.Script("measure_backlog", package="apps.redis_kit", reply=lambda raw: Backlog(*raw))

QueueMore = Callable[[Pipeline, Sequence[Entry]], object]


class Group:
    """One consumer's view of a group over several streams."""

    def __init__(self, streams: Sequence[str], *, group: str, consumer: str, connection: str) -> None:
        self.streams, self.group, self.consumer = list(streams), group, consumer
        self._connection = connection

    @property
    def _redis(self) -> redis.Redis:
        return client.get(self._connection)

    def create(self) -> None:
        """Create the group where it is missing, from the first entry on: "$" would skip existing entries."""
        for stream in self.streams:
            try:
                self._redis.xgroup_create(stream, self.group, id="0", mkstream=True)
            except exceptions.ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):
                    raise

    @property
    def can_block(self) -> bool:
        """Whether one call may wait on all streams: on a cluster they have several slots."""
        return not client.is_cluster(self._redis)

    def read_new(self, *, count: int, block: timedelta | None) -> list[Entry]:
        """New entries, `count` per stream; waits up to `block` for one, where it is given and no cluster."""
        if self.can_block:
            wait = None if block is None else block // MILLISECOND
            return self._read(self.streams, count=count, block=wait)
        return [entry for stream in self.streams for entry in self._read([stream], count=count, block=None)]

    def pending_entries(self, *, min_idle: timedelta) -> list[PendingEntry]:
        """Unfinished entries: this consumer's own, and others' that were idle for `min_idle`."""
        found: dict[tuple[str, str], PendingEntry] = {}
        with self._redis.pipeline(transaction=False) as pipe:
            for stream in self.streams:
                pipe.xpending_range(
                    stream, self.group, "-", "+", MAX_SWEEP_ENTRIES, consumername=self.consumer
                )
                pipe.xpending_range(
                    stream, self.group, "-", "+", MAX_SWEEP_ENTRIES, idle=min_idle // MILLISECOND
                )
            raw = pipe.execute()
        for index, rows in enumerate(raw):
            stream = self.streams[index // 2]
            found |= {(stream, row["message_id"]): self._parse_pending(stream, row) for row in rows}
        return list(found.values())

    def claim(self, pending: Sequence[PendingEntry], *, min_idle: timedelta) -> list[Entry]:
        """Take the entries over, except those that another consumer took first; counts a delivery of each."""
        entries = []
        for stream, is_own in sorted({(entry.stream, entry.is_own) for entry in pending}):
            by_id = {entry.id: entry for entry in pending if (entry.stream, entry.is_own) == (stream, is_own)}
            idle_ms = 0 if is_own else min_idle // MILLISECOND
            args: list[scripts.Arg] = [self.group, self.consumer, idle_ms, *by_id]
            claimed, deleted = CLAIM(self._redis, keys=[stream], args=args)
            entries += [
                Entry(stream, id_, fields, by_id[id_].deliveries + 1) for id_, fields in claimed.items()
            ]
            if deleted:
                log.error("%s: deleted before they were finished: %s", stream, ", ".join(deleted))
        return entries

    def settle(self, entries: Sequence[Entry], after: QueueMore | None = None) -> None:
        """Acknowledge and delete entries, together with the commands of `after`; safe to repeat."""
        ids: dict[str, list[str]] = {}
        for entry in entries:
            ids.setdefault(entry.stream, []).append(entry.id)
        calls: list[scripts.Call] = [([stream], [self.group, *finished]) for stream, finished in ids.items()]
        with self._redis.pipeline(transaction=False) as pipe:
            for keys, args in calls:
                SETTLE.queue(pipe, keys=keys, args=args)
            if after:
                after(pipe, entries)
            pipe.execute()

    def split(self, entry: Entry, parts: Sequence[Mapping[str, str]]) -> None:
        """Put new entries with these fields in the place of one; safe to repeat, does nothing without it."""
        args: list[scripts.Arg] = [self.group, entry.id]
        for fields in parts:
            args += [2 * len(fields), *(text for pair in fields.items() for text in pair)]
        SPLIT(self._redis, keys=[entry.stream], args=args)

    def keep_claimed(self, entries: Sequence[Entry]) -> None:
        """Reset the idle time of entries that wait for an absent store, and uncount this delivery."""
        with self._redis.pipeline(transaction=False) as pipe:
            for entry in entries:
                self._queue_keep_claimed(pipe, entry)
            pipe.execute()

    def dismiss(self, consumer: str = "", *, idle: timedelta = timedelta()) -> int:
        """Remove a consumer, or all that were idle for so long, if they own no entries; how many."""
        calls: list[scripts.Call] = [
            ([stream], [self.group, consumer, idle // MILLISECOND]) for stream in self.streams
        ]
        return sum(DISMISS.call_many(self._redis, calls)[0])

    def rewind(self) -> int:
        """Set the group back on streams where entries lie behind it that no consumer has; on how many.

        A server that comes back older than it was (a cut file, an older copy, a replica that lagged) leaves
        such entries. All that are unfinished are delivered again then, those of living consumers too.
        """
        calls: list[scripts.Call] = [([stream], [self.group, MAX_SWEEP_ENTRIES]) for stream in self.streams]
        rewound = sum(REWIND.call_many(self._redis, calls)[0])
        if rewound:
            log.error("entries behind the group %s are read again, on %d streams", self.group, rewound)
        return rewound

    def _queue_keep_claimed(self, pipe: Pipeline, entry: Entry) -> None:
        before = max(entry.deliveries - 1, 0)
        pipe.xclaim(entry.stream, self.group, self.consumer, 0, [entry.id], retrycount=before, justid=True)

    def _read(self, streams: Sequence[str], *, count: int, block: int | None) -> list[Entry]:
        unread: dict[Any, Any] = dict.fromkeys(streams, ">")
        raw = self._redis.xreadgroup(self.group, self.consumer, unread, count=count, block=block)
        return [
            Entry(str(stream), str(id_), fields)
            for stream, found in cast(Any, raw) or []
            for id_, fields in found
        ]

    def _parse_pending(self, stream: str, row: Mapping[str, Any]) -> PendingEntry:
        return PendingEntry(
            stream,
            str(row["message_id"]),
            is_own=row["consumer"] == self.consumer,
            idle=row["time_since_delivered"] * MILLISECOND,
            deliveries=int(row["times_delivered"]),
        )


def read_backlog(connected: redis.Redis, streams: Sequence[str], group: str) -> Backlog:
    """The backlog of a group over several streams, in one round trip; zeros before the first entry."""
    backlogs = BACKLOG.call_many(connected, [([stream], [group]) for stream in streams])[0]
    return Backlog(
        lag=sum(backlog.lag for backlog in backlogs),
        pending=sum(backlog.pending for backlog in backlogs),
        oldest_ms=max((backlog.oldest_ms for backlog in backlogs), default=0),
    )
