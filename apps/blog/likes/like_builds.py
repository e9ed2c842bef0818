"""Builds the Redis copy of a note's likes from SQL, while people go on liking the note.

1. One builder at a time takes the note's lease. If Redis loses its data, the lease is lost too.
2. The builder reads SQL and writes to a key of its own.
3. If it still has the lease, it swaps that key in, with the changes made since it began (swap_likes.lua).

A copy's floor is the microsecond at which its build began, plus CLOCK_SLACK. SQL decides on older changes.
"""

import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Protocol

from django.utils import timezone

from apps.blog import keys
from apps.blog.likes.like_copies import COMPLETE_MARK, COPY_TTL, drop, read_all, to_microseconds, to_seconds
from apps.blog.models import Like, Note
from apps.redis_kit import client, copies, scripts
from apps.redis_kit.findings import Finding, name_few
from apps.web import batches

#: Expiry of a lease, longer than 100,000 rows take, and of a build's key, which must outlive the lease.
LEASE_TTL, BUILD_TTL = timedelta(minutes=1), timedelta(minutes=5)
#: Largest expected difference of web servers' clocks: a change above a build's floor is newer than the build.
CLOCK_SLACK = timedelta(seconds=10)
#: Rows written in one round trip, and notes in one build.
BATCH_ROWS, BATCH_NOTES = 2_000, 500
#: Likes that a list's request may copy in all; a bigger note is copied when its own page is viewed.
MAX_INLINE_ROWS = 20_000

LikeRow = tuple[int, int, datetime]
SWAP_LIKES = scripts.Script("swap_likes", package="apps.blog.likes", reply=bool)


class LikedNote(Protocol):
    """A note, or any object with a note's id and SQL's count of its likes."""

    @property
    def pk(self) -> Any: ...
    @property
    def likes(self) -> int: ...


def affordable_ids(notes: Iterable[LikedNote]) -> list[int]:
    """Return the ids of the notes whose likes one request can copy: at most MAX_INLINE_ROWS likes in all."""
    left, chosen = MAX_INLINE_ROWS, list[int]()
    for note in notes:
        if note.likes <= left:
            left -= note.likes
            chosen.append(note.pk)
    return chosen


def build(note_ids: Sequence[int]) -> int:
    """Copy these notes' likes from SQL, except those being copied; returns the number of new copies."""
    floor = to_microseconds(timezone.now() + CLOCK_SLACK)
    token = f"{floor}-{secrets.token_hex(8)}"
    mine = _take_leases(note_ids, token)
    if not mine:
        return 0
    rows = (
        Like.objects.filter(note_id__in=mine)
        .order_by("note_id")
        .values_list("note_id", "user_id", "created_at")
    )
    _write_builds(mine, [], token)
    for some in _iter_batches(rows.iterator(chunk_size=BATCH_ROWS), BATCH_ROWS):
        _write_builds([], some, token)
    return _swap_in(mine, token)


def _iter_batches(rows: Iterable[LikeRow], size: int) -> Iterator[list[LikeRow]]:
    """Yield lists of at most `size` rows, read as they are needed."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some


def _take_leases(note_ids: Sequence[int], token: str) -> list[int]:
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            pipe.set(keys.LIKE_LEASE(note=note_id), token, nx=True, ex=LEASE_TTL)
        taken = pipe.execute()
    return [note_id for note_id, mine in zip(note_ids, taken, strict=True) if mine]


def _write_builds(begun: Sequence[int], rows: Sequence[LikeRow], token: str) -> None:
    """Write COMPLETE_MARK into the keys of builds that begin, and rows into those that have begun."""
    floor = int(token.partition("-")[0])
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in begun:
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), {COMPLETE_MARK: -floor})
            pipe.expire(keys.LIKE_BUILD(note=note_id, token=token), BUILD_TTL)
        by_note: dict[int, dict[str, int]] = {}
        for note_id, user_id, at in rows:
            by_note.setdefault(note_id, {})[str(user_id)] = to_microseconds(at)
        for note_id, scores in by_note.items():
            pipe.zadd(keys.LIKE_BUILD(note=note_id, token=token), scores)
        pipe.execute()


def _swap_in(note_ids: Sequence[int], token: str) -> int:
    calls: list[scripts.Call] = [
        (_swap_keys(note_id, token), [token, to_seconds(COPY_TTL)]) for note_id in note_ids
    ]
    return sum(SWAP_LIKES.call_many(client.get(), calls)[0])


def _swap_keys(note_id: int, token: str) -> list[str]:
    copy, changes = keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id)
    return [copy, changes, keys.LIKE_LEASE(note=note_id), keys.LIKE_BUILD(note=note_id, token=token)]


def _query(note_ids: Collection[int]) -> dict[int, dict[int, int]]:
    rows: dict[int, dict[int, int]] = {note_id: {} for note_id in note_ids}
    likes = Like.objects.filter(note__in=list(note_ids))
    for note_id, user_id, at in likes.values_list("note_id", "user_id", "created_at"):
        rows[note_id][user_id] = to_microseconds(at)
    return rows


def _build_anew(note_ids: Collection[int]) -> int:
    drop(note_ids)
    return build(list(note_ids))


def _describe(note_id: int, actual: dict[int, int], expected: dict[int, int]) -> list[Finding]:
    """Names the people whose like is missing on the other side, or has another time there."""
    wrong, missing = actual.items() - expected.items(), expected.items() - actual.items()
    people = (name_few(user_id for user_id, _at in likes) for likes in (wrong, missing))
    return [Finding(f"note {note_id}", "copy", *people)]


#: Builds and changes are this app's own: each change keeps its microsecond, and Redis orders likes by it.
LIKES = copies.Copy(
    keys.LIKES,
    read_copies=read_all,
    query=_query,
    forget=drop,
    describe=_describe,
    fill=_build_anew,
    owners=lambda: batches.counted_chunks(Note.objects.published().filter(likes__gt=0), BATCH_NOTES),
)
