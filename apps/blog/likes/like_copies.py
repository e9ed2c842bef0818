"""The likes of a note in Redis, in order of time: a copy of SQL's rows that is either whole or not used.

The member "*" says that a copy is whole: it arrives with the last row of a build and goes with the key, so
after a lost Redis a like finds no copy and makes none. The next reader builds one (blog.like_builds).

Each change carries its microsecond, and an older one never undoes a newer one. SQL has the last word where
Redis can't know: on a change from before the copy was built (its floor), since its undoing may have been told
to a copy that is gone; and where two hosts' clocks make the truly newest change look old.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from apps.blog import keys
from apps.blog.models import Like
from apps.redis_kit import client, scripts, transport

COMPLETE_MARK = "*"
COPY_TTL = timedelta(days=30)
#: Longer than news of a commit take to reach Redis.
CHANGES_TTL = timedelta(hours=1)
#: Each try asks SQL once more; only as many builds within a moment could exhaust them.
MAX_ATTEMPTS = 3
#: Copies that one round trip drops.
BATCH_COPIES = 500
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
log = logging.getLogger(__name__)
#: Notes whose copies this process could not tell of a change: they go before the next read. What a process
#: takes with it when it ends, the hourly reconcile finds.
_stale_note_ids: set[int] = set()


class ApplyResult(IntEnum):
    """Any other answer of the script is a floor, in microseconds."""

    OLDER = -1
    ABSENT = 0
    DONE = 1


@dataclass(frozen=True)
class LikesCopy:
    """What a whole copy says: does the viewer like it, and who were the first (ids)."""

    liked: bool = False
    first: list[int] = field(default_factory=list)


APPLY_LIKE = scripts.Script("apply_like", package="apps.blog.likes", reply=int)


def to_microseconds(at: datetime) -> int:
    """Since 1970; exact in a double until the year 2255."""
    return (at - EPOCH) // MICROSECOND


def to_seconds(span: timedelta) -> int:
    """As a script takes it."""
    return int(span.total_seconds())


def apply_change(note_id: int, user_id: int, *, at: datetime, liked: bool) -> None:
    """Bring a committed like or unlike to the copy, if there is one; without Redis, remember to drop it."""
    try:
        _apply_with_retries(note_id, user_id, at=at, liked=liked)
    except client.UNAVAILABLE:
        _stale_note_ids.add(note_id)
        log.warning("the copied likes of note %d are out of date: Redis is away", note_id)


def read_complete(note_ids: Sequence[int], viewer_id: int | None, *, first: int = 0) -> dict[int, LikesCopy]:
    """What the whole copies among these notes say: one round trip; asking who was first keeps them alive."""
    _drop_stale()
    who = [COMPLETE_MARK, str(viewer_id or 0)]
    found = [keys.LIKES(note=note_id) for note_id in note_ids]
    # Its first member is the mark again: a copy that comes or goes between the two is not half read.
    asked = [one for key in found for one in (("ZMSCORE", key, *who), ("ZRANGE", key, 0, first))]
    kept = [("EXPIRE", key, to_seconds(COPY_TTL)) for key in found] if first else []
    raw = iter(transport.execute_many(client.get(), [*asked, *kept]))
    answers = zip(note_ids, raw, raw, strict=False)
    return {
        note_id: LikesCopy(liked=marks[1] is not None, first=[int(one) for one in people[1:]])
        for note_id, marks, people in answers
        if marks[0] is not None and people[:1] == [COMPLETE_MARK]
    }


def read_all(note_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """All that the whole copies among these hold: user id -> microsecond of the like, by note."""
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            pipe.zrange(keys.LIKES(note=note_id), 0, -1, withscores=True)
        raw = dict(zip(note_ids, map(dict, pipe.execute()), strict=True))
    return {
        note_id: {int(user): int(at) for user, at in pairs.items() if user != COMPLETE_MARK}
        for note_id, pairs in raw.items()
        if COMPLETE_MARK in pairs
    }


def drop(note_ids: Iterable[int]) -> None:
    """Let the next reader build these copies anew, whoever else is building them now."""
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            # One by one: the pipeline of a cluster takes no more.
            for key in (keys.LIKES, keys.LIKE_CHANGES, keys.LIKE_LEASE):
                pipe.delete(key(note=note_id))
        pipe.execute()


def _apply_with_retries(note_id: int, user_id: int, *, at: datetime, liked: bool) -> None:
    floor = 0
    for _ in range(MAX_ATTEMPTS):
        found = _run_apply_like(note_id, user_id, at=at, liked=liked, confirmed=floor)
        if found in {ApplyResult.DONE, ApplyResult.ABSENT}:
            return
        if not _is_newest(note_id, user_id, at=at, liked=liked):
            return
        if found == ApplyResult.OLDER:
            break
        floor = found
    drop([note_id])


def _run_apply_like(note_id: int, user_id: int, *, at: datetime, liked: bool, confirmed: int = 0) -> int:
    change = to_microseconds(at) if liked else -to_microseconds(at)
    return APPLY_LIKE(
        client.get(),
        keys=[keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id), keys.LIKE_LEASE(note=note_id)],
        args=[user_id, change, confirmed, to_seconds(COPY_TTL), to_seconds(CHANGES_TTL)],
    )


def _is_newest(note_id: int, user_id: int, *, at: datetime, liked: bool) -> bool:
    """Whether SQL knows of no later change."""
    rows = Like.objects.filter(note=note_id, user=user_id)
    return rows.filter(created_at=at).exists() if liked else not rows.exists()


def _drop_stale() -> None:
    while missed := list(_stale_note_ids)[:BATCH_COPIES]:
        drop(missed)
        _stale_note_ids.difference_update(missed)
