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
from apps.blog.places import Place
from apps.redis_kit import client, scripts

#: Inboxes of a shard share a slot: one call reaches many, and a cluster still spreads them.
SHARDS = 16
FLOOR = "floor"
KEPT_UNREAD = timedelta(days=30)
#: A filling that takes longer is given up, and its reader served by SQL.
MAY_FILL = timedelta(minutes=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inbox:
    """What was read of one: `floor` as it stands in Redis; `places` newest first, none while it is filled."""

    floor: str
    places: list[Place]

    @property
    def is_filling(self) -> bool:
        return self.floor.startswith("-")

    @property
    def is_cut(self) -> bool:
        """Whether older notes are left to SQL."""
        return float(self.floor) > 0


def _inbox(raw: Sequence[Any]) -> Inbox:
    floor, *pairs = raw
    places = [Place(int(at), int(note)) for note, at in zip(pairs[::2], pairs[1::2], strict=True)]
    return Inbox(floor, places)


READ_INBOX = scripts.Script("read_inbox", package="apps.blog", reply=_inbox)
ADD_NOTES = scripts.Script("add_notes", package="apps.blog", reply=int)


def read(reader_id: int, *, before: Place | None, most: int) -> Inbox:
    """Its first places below another; a missing one is there afterwards, to be filled. Raises UNAVAILABLE."""
    args = [before.at if before else "+inf", most, _seconds(KEPT_UNREAD), _seconds(MAY_FILL)]
    found = READ_INBOX(client.get(), keys=[_key(reader_id)], args=args)
    left = [place for place in found.places if before is None or place < before]
    return Inbox(found.floor, left[:most])


def put(reader_ids: Iterable[int], place: Place) -> int:
    """Bring one note to those of these readers who have an inbox; how many. Twice does no harm."""
    by_shard = defaultdict(list)
    for reader_id in reader_ids:
        by_shard[reader_id % SHARDS].append(_key(reader_id))
    calls = [(named, _args([place])) for named in by_shard.values()]
    return sum(ADD_NOTES.each(client.get(), calls)[0])


def add(reader_id: int, places: Sequence[Place], *, left_out: int = 0) -> None:
    """The newest notes of one author, all those after the microsecond `left_out`, if there is an inbox."""
    ADD_NOTES(client.get(), keys=[_key(reader_id)], args=_args(places, left_out=left_out))


def fill(reader_id: int, places: Sequence[Place], *, began: str, left_out: int = 0) -> bool:
    """End the filling that began with that floor; False when it is over, and these rows may be too old."""
    args = _args(places, left_out=left_out, filling=began)
    return bool(ADD_NOTES(client.get(), keys=[_key(reader_id)], args=args))


def forget(*reader_ids: int) -> None:
    """The next visit fills it anew; without Redis, what is too much in it is left out when rows are read."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for reader_id in reader_ids:
                pipe.delete(_key(reader_id))
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("Redis is away: %d inboxes stay as they are", len(reader_ids))


def held(reader_id: int) -> Inbox | None:
    """All of one, if it is there; it does not count as a visit."""
    found = client.get().zrange(_key(reader_id), 0, -1, desc=True, withscores=True)
    pairs = cast("list[tuple[str, float]]", found)
    floor = next((f"{at:.0f}" for member, at in pairs if member == FLOOR), None)
    places = [Place(int(at), int(member)) for member, at in pairs if member != FLOOR]
    return Inbox(floor, places) if floor else None


def present(size: int) -> Iterator[int]:
    """Whose inboxes there are; `size` names are asked for at a time."""
    for name in client.get().scan_iter(match=keys.INBOX.scan_pattern, count=size):
        yield int(str(name).rpartition(":")[2])


def _args(places: Sequence[Place], *, left_out: int = 0, filling: str = "") -> list[scripts.Arg]:
    pairs = [part for place in places for part in (place.at, f"{place.note_id:019d}")]
    return [settings.FEED_INBOX_CAP, filling, left_out, _seconds(KEPT_UNREAD), *pairs]


def _key(reader_id: int) -> str:
    return keys.INBOX(shard=reader_id % SHARDS, reader=reader_id)


def _seconds(period: timedelta) -> int:
    return int(period.total_seconds())
