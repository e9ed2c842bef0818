"""The likes of a note in Redis, in order of time: a copy of SQL's rows that is either whole or not used.

The member "*" says that a copy is whole: it arrives with the last row of a build and goes with the key, so
after a lost Redis a like finds no copy and makes none. The next reader builds one:

1. it takes the note's lease (one builder at a time; a lost Redis loses the lease too),
2. reads SQL and writes a key of its own,
3. swaps it in, if the lease is still its own, with the changes that were told since (swap_likes.lua).

Each change carries its microsecond, and an older one never undoes a newer one. Where two hosts' clocks make
the truly newest look old, SQL has the last word and the copy is dropped (`tell`).
"""

import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from itertools import islice

from apps.blog import keys
from apps.blog.models import Like, Note
from apps.redis_kit import client, schema, scripts

WHOLE = "*"
KEPT = timedelta(days=30)
#: Longer than news of a commit take to reach Redis.
CHANGES_KEPT = timedelta(hours=1)
#: Longer than a hundred thousand rows take; the build itself outlives it.
LEASE, BUILD_KEPT = timedelta(minutes=1), timedelta(minutes=5)
#: Rows that one query and one round trip carry, and notes of one build.
ROWS, NOTES = 2_000, 500
#: Rows that the reader of a list copies on the way; a bigger note waits for a look at its page.
AFFORDABLE = 20_000

EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
Row = tuple[int, int, datetime]
log = logging.getLogger(__name__)


class Applied(IntEnum):
    OLDER = -1
    ABSENT = 0
    DONE = 1


@dataclass(frozen=True)
class Copy:
    """What a whole copy says: does the viewer like it, and who were the first (ids)."""

    liked: bool = False
    first: list[int] = field(default_factory=list)


APPLY_LIKE = scripts.Script("apply_like", package="apps.blog", reply=Applied)
SWAP_LIKES = scripts.Script("swap_likes", package="apps.blog", reply=bool)


def microsecond(at: datetime) -> int:
    """Since 1970; exact in a double until the year 2255."""
    return (at - EPOCH) // MICROSECOND


def tell(note_id: int, user_id: int, *, at: datetime, liked: bool) -> None:
    """Bring a committed like or unlike to the copy, if there is one; without Redis, drift mends it."""
    try:
        if _apply(note_id, user_id, at=at, liked=liked) is Applied.OLDER:
            _settle(note_id, user_id, liked=liked)
    except client.UNAVAILABLE:
        log.warning("a like of note %d waits for reconcile: Redis is away", note_id)


def read(note_ids: Sequence[int], viewer_id: int | None, *, first: int = 0) -> dict[int, Copy]:
    """What the whole copies among these notes say: one round trip; asking who was first keeps them alive."""
    who = [WHOLE, str(viewer_id or 0)]
    found = [keys.LIKES(note=note_id) for note_id in note_ids]
    with client.get().pipeline(transaction=False) as pipe:
        for key in found:
            pipe.zmscore(key, who)
            # Its first member is the mark again: a copy that comes or goes between the two is not half read.
            pipe.zrange(key, 0, first)
        for key in found if first else ():
            pipe.expire(key, KEPT)
        raw = iter(pipe.execute())
    answers = zip(note_ids, raw, raw, strict=False)
    return {
        note_id: Copy(liked=marks[1] is not None, first=[int(one) for one in people[1:]])
        for note_id, marks, people in answers
        if marks[0] is not None and people[:1] == [WHOLE]
    }


def affordable(notes: Iterable[Note]) -> list[int]:
    """Ids of as many of these notes as a reader may copy while somebody waits for a page."""
    left, chosen = AFFORDABLE, list[int]()
    for note in notes:
        if note.likes <= left:
            left -= note.likes
            chosen.append(note.pk)
    return chosen


def build(note_ids: Sequence[int]) -> int:
    """Copy these notes' likes from SQL where nobody else is at it; how many copies are now new."""
    token = secrets.token_hex(8)
    mine = _lease(note_ids, token)
    if not mine:
        return 0
    rows = (
        Like.objects.filter(note_id__in=mine)
        .order_by("note_id")
        .values_list("note_id", "user_id", "created_at")
    )
    _write(mine, [], token)
    for some in batches(rows.iterator(chunk_size=ROWS), ROWS):
        _write([], some, token)
    calls: list[scripts.Call] = [(_build_keys(note_id, token), [token, _seconds(KEPT)]) for note_id in mine]
    return sum(SWAP_LIKES.each(client.get(), calls)[0])


def drop(note_ids: Iterable[int]) -> None:
    """Let the next reader build these copies anew, whoever else is building them now."""
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            pipe.delete(
                keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id), keys.LIKE_LEASE(note=note_id)
            )
        pipe.execute()


def rebuild(report: schema.Report) -> int:
    """Copies of all published notes that somebody likes, from SQL; how many."""
    liked = Note.objects.published().filter(likes__gt=0).order_by("pk").values_list("pk", flat=True)
    total, made, last = liked.count(), 0, 0
    while some := list(liked.filter(pk__gt=last)[:NOTES]):
        drop(some)
        made += build(some)
        last = some[-1]
        report(made, max(total, made))
    return made


def batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Lists of at most `size`, read as they are needed."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some


def _apply(note_id: int, user_id: int, *, at: datetime, liked: bool) -> Applied:
    change = microsecond(at) if liked else -microsecond(at)
    return APPLY_LIKE(
        client.get(),
        keys=[keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id), keys.LIKE_LEASE(note=note_id)],
        args=[user_id, change, _seconds(KEPT), _seconds(CHANGES_KEPT)],
    )


def _settle(note_id: int, user_id: int, *, liked: bool) -> None:
    """Redis knows of something newer: right if SQL disagrees with this change, else a clock is wrong."""
    if Like.objects.filter(note=note_id, user=user_id).exists() == liked:
        drop([note_id])


def _lease(note_ids: Sequence[int], token: str) -> list[int]:
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            pipe.set(keys.LIKE_LEASE(note=note_id), token, nx=True, ex=LEASE)
        taken = pipe.execute()
    return [note_id for note_id, mine in zip(note_ids, taken, strict=True) if mine]


def _write(begun: Sequence[int], rows: Sequence[Row], token: str) -> None:
    """Begin the builds of some notes with their mark, and write rows into those that have begun."""
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in begun:
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), {WHOLE: 0})
            pipe.expire(keys.LIKE_BUILD(note=note_id, token=token), BUILD_KEPT)
        by_note: dict[int, dict[str, int]] = {}
        for note_id, user_id, at in rows:
            by_note.setdefault(note_id, {})[str(user_id)] = microsecond(at)
        for note_id, scores in by_note.items():
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), scores)
        pipe.execute()


def _build_keys(note_id: int, token: str) -> list[str]:
    copy, changes = keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id)
    return [copy, changes, keys.LIKE_LEASE(note=note_id), keys.LIKE_BUILD(note=note_id, token=token)]


def _seconds(span: timedelta) -> int:
    return int(span.total_seconds())
