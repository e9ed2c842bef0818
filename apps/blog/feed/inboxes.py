"""The newest notes of whom each reader follows, one ZSET a reader, kept only for readers who come.

The floor in an inbox says what it knows: every note above it is there, and nothing is promised at or below
it, where SQL goes on. So an inbox may be cut, and may hold too much (deleted notes, authors no longer
followed: left out when rows are read), but never too little. A missing one begins with a floor below zero.
From then on it takes what is published, and only then is SQL read for the rest: a note is in the rows, or
comes by itself. The filling that ends must be the one that began, or its rows are too old and are refused.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from django.conf import settings

from apps.blog import keys
from apps.blog.feed.feed_positions import FeedPosition
from apps.redis_kit import client, scripts

#: Inboxes of a shard share a slot: one call reaches many, and a cluster still spreads them.
SHARD_COUNT = 16
FLOOR_MEMBER = "floor"
UNREAD_TTL = timedelta(days=30)
#: A filling that takes longer is given up, and its reader served by SQL.
FILL_TTL = timedelta(minutes=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inbox:
    """What was read of one: `floor` as it stands in Redis; `places` newest first, none while it is filled."""

    floor: str
    places: list[FeedPosition]

    @property
    def is_filling(self) -> bool:
        return self.floor.startswith("-")

    @property
    def is_cut(self) -> bool:
        """Whether older notes are left to SQL."""
        return float(self.floor) > 0


def _parse_inbox(raw: Sequence[Any]) -> Inbox:
    floor, *pairs = raw
    places = [FeedPosition(int(at), int(note)) for note, at in zip(pairs[::2], pairs[1::2], strict=True)]
    return Inbox(floor, places)


READ_INBOX = scripts.Script("read_inbox", package="apps.blog.feed", reply=_parse_inbox)
ADD_NOTES = scripts.Script("add_notes", package="apps.blog.feed", reply=int)


def read_page(reader_id: int, *, before: FeedPosition | None, most: int) -> Inbox:
    """Its first places below another; a missing one is there afterwards, to be filled. Raises UNAVAILABLE."""
    args = [before.at if before else "+inf", most, _to_seconds(UNREAD_TTL), _to_seconds(FILL_TTL)]
    found = READ_INBOX(client.get(), keys=[_inbox_key(reader_id)], args=args)
    left = [place for place in found.places if before is None or place < before]
    return Inbox(found.floor, left[:most])


def push_note(reader_ids: Iterable[int], place: FeedPosition) -> int:
    """Bring one note to those of these readers who have an inbox; how many. Twice does no harm."""
    by_shard = defaultdict(list)
    for reader_id in reader_ids:
        by_shard[reader_id % SHARD_COUNT].append(_inbox_key(reader_id))
    calls = [(named, _add_notes_args([place])) for named in by_shard.values()]
    return sum(ADD_NOTES.call_many(client.get(), calls)[0])


def add_notes_of_author(reader_id: int, places: Sequence[FeedPosition], *, left_out: int = 0) -> None:
    """The newest notes of one author, all those after the microsecond `left_out`, if there is an inbox."""
    ADD_NOTES(client.get(), keys=[_inbox_key(reader_id)], args=_add_notes_args(places, left_out=left_out))


def finish_filling(reader_id: int, places: Sequence[FeedPosition], *, began: str, left_out: int = 0) -> bool:
    """End the filling that began with that floor; False when it is over, and these rows may be too old."""
    args = _add_notes_args(places, left_out=left_out, filling=began)
    return bool(ADD_NOTES(client.get(), keys=[_inbox_key(reader_id)], args=args))


def forget(*reader_ids: int) -> None:
    """The next visit fills it anew; without Redis, what is too much in it is left out when rows are read."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for reader_id in reader_ids:
                pipe.delete(_inbox_key(reader_id))
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("Redis is away: %d inboxes stay as they are", len(reader_ids))


def read_all(reader_id: int) -> Inbox | None:
    """All of one, if it is there; it does not count as a visit."""
    found = client.get().zrange(_inbox_key(reader_id), 0, -1, desc=True, withscores=True)
    pairs = cast("list[tuple[str, float]]", found)
    floor = next((f"{at:.0f}" for member, at in pairs if member == FLOOR_MEMBER), None)
    places = [FeedPosition(int(at), int(member)) for member, at in pairs if member != FLOOR_MEMBER]
    return Inbox(floor, places) if floor else None


def iter_reader_ids(size: int) -> Iterator[int]:
    """Whose inboxes there are; `size` names are asked for at a time."""
    for name in client.get().scan_iter(match=keys.FEED_INBOX.scan_pattern, count=size):
        yield int(str(name).rpartition(":")[2])


def _add_notes_args(
    places: Sequence[FeedPosition], *, left_out: int = 0, filling: str = ""
) -> list[scripts.Arg]:
    pairs = [part for place in places for part in (place.at, f"{place.note_id:019d}")]
    return [settings.FEED_INBOX_CAP, filling, left_out, _to_seconds(UNREAD_TTL), *pairs]


def _inbox_key(reader_id: int) -> str:
    return keys.FEED_INBOX(shard=reader_id % SHARD_COUNT, reader=reader_id)


def _to_seconds(period: timedelta) -> int:
    return int(period.total_seconds())
