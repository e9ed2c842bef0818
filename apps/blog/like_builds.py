"""How the copy of a note's likes comes about, while people go on liking it.

1. One builder at a time takes the note's lease; a lost Redis loses the lease with the rest.
2. It reads SQL and writes to a key of its own.
3. It swaps that in, if the lease is still its own, with the changes told since it began (swap_likes.lua).

Its floor is the microsecond it began at, and some slack: SQL has the last word on older changes.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Protocol

from django.utils import timezone

from apps.blog import keys
from apps.blog.like_copies import KEPT, WHOLE, drop, microsecond, seconds
from apps.blog.models import Like, Note
from apps.follows import walking
from apps.redis_kit import client, schema, scripts

#: Longer than a hundred thousand rows take; what was written outlives it.
LEASE, BUILD_KEPT = timedelta(minutes=1), timedelta(minutes=5)
#: Clocks of web servers: a change that looks younger than a build is younger.
SLACK = timedelta(seconds=10)
#: Rows that one round trip carries, and notes of one build.
ROWS, NOTES = 2_000, 500
#: Rows that the reader of a list copies on the way; a bigger note waits for a look at its page.
AFFORDABLE = 20_000

Row = tuple[int, int, datetime]
SWAP_LIKES = scripts.Script("swap_likes", package="apps.blog", reply=bool)


class Liked(Protocol):
    """A note, or what is known of one: its id, and SQL's count of its likes."""

    @property
    def pk(self) -> Any: ...
    @property
    def likes(self) -> int: ...


def affordable(notes: Iterable[Liked]) -> list[int]:
    """Ids of as many of these notes as a reader may copy while somebody waits for a page."""
    left, chosen = AFFORDABLE, list[int]()
    for note in notes:
        if note.likes <= left:
            left -= note.likes
            chosen.append(note.pk)
    return chosen


def build(note_ids: Sequence[int]) -> int:
    """Copy these notes' likes from SQL where nobody else is at it; how many copies are now new."""
    floor = microsecond(timezone.now() + SLACK)
    token = f"{floor}-{secrets.token_hex(8)}"
    mine = _lease(note_ids, token)
    if not mine:
        return 0
    rows = (
        Like.objects.filter(note_id__in=mine)
        .order_by("note_id")
        .values_list("note_id", "user_id", "created_at")
    )
    _write(mine, [], token)
    for some in _batches(rows.iterator(chunk_size=ROWS), ROWS):
        _write([], some, token)
    return _swap(mine, token)


def rebuild(report: schema.Report) -> int:
    """Copies of all published notes that somebody likes, from SQL; how many."""
    liked = Note.objects.published().filter(likes__gt=0)
    total, made = liked.count(), 0
    for some in walking.pks(liked, NOTES):
        drop(some)
        made += build(some)
        report(made, max(total, made))
    return made


def _batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Lists of at most `size`, read as they are needed."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some


def _lease(note_ids: Sequence[int], token: str) -> list[int]:
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            pipe.set(keys.LIKE_LEASE(note=note_id), token, nx=True, ex=LEASE)
        taken = pipe.execute()
    return [note_id for note_id, mine in zip(note_ids, taken, strict=True) if mine]


def _write(begun: Sequence[int], rows: Sequence[Row], token: str) -> None:
    """Begin the builds of some notes with their mark, and write rows into those that have begun."""
    floor = int(token.partition("-")[0])
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in begun:
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), {WHOLE: -floor})
            pipe.expire(keys.LIKE_BUILD(note=note_id, token=token), BUILD_KEPT)
        by_note: dict[int, dict[str, int]] = {}
        for note_id, user_id, at in rows:
            by_note.setdefault(note_id, {})[str(user_id)] = microsecond(at)
        for note_id, scores in by_note.items():
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), scores)
        pipe.execute()


def _swap(note_ids: Sequence[int], token: str) -> int:
    calls: list[scripts.Call] = [(_swapped(note_id, token), [token, seconds(KEPT)]) for note_id in note_ids]
    return sum(SWAP_LIKES.each(client.get(), calls)[0])


def _swapped(note_id: int, token: str) -> list[str]:
    copy, changes = keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id)
    return [copy, changes, keys.LIKE_LEASE(note=note_id), keys.LIKE_BUILD(note=note_id, token=token)]
