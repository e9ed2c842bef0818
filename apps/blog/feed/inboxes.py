"""Inboxes in Redis: the newest notes of a reader's feed, one sorted set for each reader who visits.

An inbox has every note above its floor; below it, SQL is read. An inbox may thus be cut, and may contain
too many notes (deleted ones, authors no longer followed: skipped when rows are read), but never too few. A
missing inbox starts with a negative floor. From then on it takes published notes, and only then SQL is read
for the rest, so each note is in the rows or arrives by fan-out. A filling may end only if it is the one
that began: otherwise its rows are outdated and refused.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from django.conf import settings

from apps.blog import keys
from apps.blog.feed.feed_positions import FeedPosition
from apps.redis_kit import client, scripts, transport

#: Inboxes of a shard share a cluster slot, so that one call writes to many; shards spread over the cluster.
SHARD_COUNT = 16
FLOOR_MEMBER = "floor"
UNREAD_TTL = timedelta(days=30)
#: A filling that takes longer is abandoned, and SQL serves the reader.
FILL_TTL = timedelta(minutes=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inbox:
    """An inbox as it was read: its floor as text, and its positions, the newest first.

    It has no positions while it is being filled.
    """

    floor: str
    positions: list[FeedPosition]

    @property
    def is_filling(self) -> bool:
        """Whether the inbox is being filled from SQL."""
        return self.floor.startswith("-")

    @property
    def is_cut(self) -> bool:
        """Whether older notes are in SQL only, since the inbox was cut."""
        return float(self.floor) > 0


def _parse_inbox(raw: Sequence[Any]) -> Inbox:
    floor, *pairs = raw
    positions = [FeedPosition(int(at), int(note)) for note, at in zip(pairs[::2], pairs[1::2], strict=True)]
    return Inbox(floor, positions)


READ_INBOX = scripts.Script("read_inbox", package="apps.blog.feed", reply=_parse_inbox)
ADD_NOTES = scripts.Script("add_notes", package="apps.blog.feed", reply=int)


def read_page(reader_id: int, *, before: FeedPosition | None, max_count: int) -> Inbox:
    """Return the newest positions below `before`; creates a missing inbox, to be filled. UNAVAILABLE."""
    args = [
        before.microsecond if before else "+inf",
        max_count,
        _to_seconds(UNREAD_TTL),
        _to_seconds(FILL_TTL),
    ]
    inbox = READ_INBOX(client.get(), keys=[_inbox_key(reader_id)], args=args)
    below = [position for position in inbox.positions if before is None or position < before]
    return Inbox(inbox.floor, below[:max_count])


def push_note(reader_ids: Iterable[int], position: FeedPosition) -> int:
    """Add a note to those of these readers' inboxes that exist; returns their number. Safe to repeat."""
    by_shard = defaultdict(list)
    for reader_id in reader_ids:
        by_shard[reader_id % SHARD_COUNT].append(_inbox_key(reader_id))
    calls = [(inbox_keys, _add_notes_args([position])) for inbox_keys in by_shard.values()]
    return sum(ADD_NOTES.call_many(client.get(), calls)[0])


def add_notes_of_author(
    reader_id: int, positions: Sequence[FeedPosition], *, newest_omitted: int = 0
) -> None:
    """Add an author's notes after the microsecond `newest_omitted`, if the reader has an inbox."""
    ADD_NOTES(
        client.get(),
        keys=[_inbox_key(reader_id)],
        args=_add_notes_args(positions, newest_omitted=newest_omitted),
    )


def finish_filling(
    reader_id: int, positions: Sequence[FeedPosition], *, filling_floor: str, newest_omitted: int = 0
) -> bool:
    """Add the rows that end the filling which began with that floor; returns whether it succeeded.

    Returns False, and adds nothing, if another filling has replaced it: the rows are outdated.
    """
    args = _add_notes_args(positions, newest_omitted=newest_omitted, filling_floor=filling_floor)
    return bool(ADD_NOTES(client.get(), keys=[_inbox_key(reader_id)], args=args))


def forget(*reader_ids: int) -> None:
    """Delete inboxes, which the next visit fills again; without Redis they stay, with a warning."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for reader_id in reader_ids:
                pipe.delete(_inbox_key(reader_id))
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: %d inboxes are not deleted", len(reader_ids))


def read_all(reader_id: int) -> Inbox | None:
    """Return a whole inbox, or None if it is missing; does not renew its expiry."""
    found = client.get().zrange(_inbox_key(reader_id), 0, -1, desc=True, withscores=True)
    pairs = cast("list[tuple[str, float]]", found)
    floor = next((f"{at:.0f}" for member, at in pairs if member == FLOOR_MEMBER), None)
    positions = [FeedPosition(int(at), int(member)) for member, at in pairs if member != FLOOR_MEMBER]
    return Inbox(floor, positions) if floor else None


def choose_with_inbox(reader_ids: Sequence[int]) -> list[int]:
    """Those of these readers who have an inbox; one round trip."""
    exist = transport.execute_many(client.get(), [("EXISTS", _inbox_key(reader)) for reader in reader_ids])
    return [reader for reader, is_there in zip(reader_ids, exist, strict=True) if is_there]


def _add_notes_args(
    positions: Sequence[FeedPosition], *, newest_omitted: int = 0, filling_floor: str = ""
) -> list[scripts.Arg]:
    pairs = [part for position in positions for part in _score_and_member(position)]
    return [settings.FEED_INBOX_CAP, filling_floor, newest_omitted, _to_seconds(UNREAD_TTL), *pairs]


def _score_and_member(position: FeedPosition) -> tuple[int, str]:
    return position.microsecond, f"{position.note_id:019d}"


def _inbox_key(reader_id: int) -> str:
    return keys.FEED_INBOX(shard=reader_id % SHARD_COUNT, reader=reader_id)


def _to_seconds(period: timedelta) -> int:
    return int(period.total_seconds())
