"""The likes of a note in Redis, in order of time: a copy of SQL's rows that is used only if it is complete.

The member "*" marks a complete copy: a build's swap adds it, and it expires with the key. After Redis lost
its data, a like therefore finds no copy and creates none. The next reader builds one (like_builds).

Each change carries its microsecond, and an older one never undoes a newer one. SQL decides in two cases:
- The change is older than the copy's floor. A later change may have gone to a copy that no longer exists.
- Two hosts' clocks differ, so that the newest change looks old.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from apps.blog import keys
from apps.blog.models import Like
from apps.redis_kit import client, scripts, transport
from apps.redis_kit.transport import Command

COMPLETE_MARK = "*"
COPY_TTL = timedelta(days=30)
#: Expiry of the recent changes, longer than a committed change takes to reach Redis.
CHANGES_TTL = timedelta(hours=1)
#: Attempts to apply a change, with one query each. They fail only if as many builds end meanwhile.
MAX_ATTEMPTS = 3
#: Copies dropped in one round trip.
BATCH_COPIES = 500
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
log = logging.getLogger(__name__)
#: Ids of notes whose copies missed a change of this process; they are dropped before its next read. If the
#: process ends first, the hourly reconciliation repairs them.
_stale_note_ids: set[int] = set()


class ApplyResult(IntEnum):
    """Results of apply_like.lua; any other result is the copy's floor in microseconds, for SQL to decide."""

    OLDER = -1
    ABSENT = 0
    DONE = 1


@dataclass(frozen=True)
class LikesCopy:
    """What a complete copy says: whether the viewer likes the note, and the ids of its first likers."""

    liked: bool = False
    first: list[int] = field(default_factory=list)


_LIKED, _NOT_LIKED = LikesCopy(liked=True), LikesCopy()
APPLY_LIKE = scripts.Script("apply_like", package="apps.blog.likes", reply=int)


def to_microseconds(at: datetime) -> int:
    """Return a time as microseconds since 1970; exact in a double until the year 2255."""
    return (at - EPOCH) // MICROSECOND


def to_seconds(span: timedelta) -> int:
    """Return a period in whole seconds, as scripts take it."""
    return int(span.total_seconds())


def apply_change(
    note_id: int, user_id: int, *, at: datetime, liked: bool, also: Sequence[Command] = ()
) -> None:
    """Apply a committed like or unlike to the note's copy, if any; without Redis, mark the copy as stale.

    The commands of `also` travel in the same round trip.
    """
    try:
        _apply_with_retries(note_id, user_id, at=at, liked=liked, also=also)
    except client.UNAVAILABLE:
        _stale_note_ids.add(note_id)
        log.warning("the copied likes of note %d are out of date: Redis is away", note_id)


def read_complete(note_ids: Sequence[int], viewer_id: int | None, *, first: int = 0) -> dict[int, LikesCopy]:
    """Return the complete copies among these notes' copies, by note id; one round trip.

    With `first`, the number of first likers to read, it also renews the copies' expiry.
    """
    _drop_stale()
    if not first:
        return _read_marks(note_ids, viewer_id)
    found = [keys.LIKES(note=note_id) for note_id in note_ids]
    # The first member must be the mark too: the copy was then there for both commands.
    commands = [one for key in found for one in (_marks_command(key, viewer_id), ("ZRANGE", key, 0, first))]
    kept = [("EXPIRE", key, to_seconds(COPY_TTL)) for key in found]
    raw = iter(transport.execute_many(client.get(), [*commands, *kept]))
    answers = zip(note_ids, raw, raw, strict=False)
    return {
        note_id: LikesCopy(liked=marks[1] is not None, first=[int(one) for one in people[1:]])
        for note_id, marks, people in answers
        if marks[0] is not None and people[:1] == [COMPLETE_MARK]
    }


def is_stale(note_id: int) -> bool:
    """Whether the copy missed a change of this process, and has not been dropped yet."""
    return note_id in _stale_note_ids


def read_all(note_ids: Collection[int]) -> dict[int, dict[int, int]]:
    """Return all likes in the complete copies: {note id: {user id: microsecond of the like}}."""
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
    """Delete these copies, and the leases of running builds, so that the next reader builds them anew."""
    with client.get().pipeline(transaction=False) as pipe:
        for note_id in note_ids:
            # One key a command: a cluster's pipeline accepts no DEL of several keys.
            for key in (keys.LIKES, keys.LIKE_CHANGES, keys.LIKE_LEASE):
                pipe.delete(key(note=note_id))
        pipe.execute()


def forget(note_ids: Iterable[int]) -> None:
    """Delete the copies of notes that are gone; without Redis they expire by themselves."""
    try:
        drop(note_ids)
    except client.UNAVAILABLE:
        log.warning("the copied likes of notes that are gone stay until they expire: Redis is away")


def _read_marks(note_ids: Sequence[int], viewer_id: int | None) -> dict[int, LikesCopy]:
    """Return the complete copies without their first likers."""
    commands = [_marks_command(keys.LIKES(note=note_id), viewer_id) for note_id in note_ids]
    answers = zip(note_ids, transport.execute_many(client.get(), commands), strict=True)
    return {note_id: _LIKED if liked else _NOT_LIKED for note_id, (mark, liked) in answers if mark}


def _marks_command(copy_key: str, viewer_id: int | None) -> Command:
    """The command that says whether the copy is complete and whether the viewer likes the note."""
    return ("ZMSCORE", copy_key, COMPLETE_MARK, str(viewer_id or 0))


def _apply_with_retries(
    note_id: int, user_id: int, *, at: datetime, liked: bool, also: Sequence[Command]
) -> None:
    floor = 0
    for attempt in range(MAX_ATTEMPTS):
        commands = () if attempt else also
        found = _run_apply_like(note_id, user_id, at=at, liked=liked, confirmed=floor, also=commands)
        if found in {ApplyResult.DONE, ApplyResult.ABSENT}:
            return
        if not _is_newest(note_id, user_id, at=at, liked=liked):
            return
        if found == ApplyResult.OLDER:
            break
        floor = found
    drop([note_id])


def _run_apply_like(
    note_id: int,
    user_id: int,
    *,
    at: datetime,
    liked: bool,
    confirmed: int = 0,
    also: Sequence[Command] = (),
) -> int:
    change = to_microseconds(at) if liked else -to_microseconds(at)
    named = [keys.LIKES(note=note_id), keys.LIKE_CHANGES(note=note_id), keys.LIKE_LEASE(note=note_id)]
    args = [user_id, change, confirmed, to_seconds(COPY_TTL), to_seconds(CHANGES_TTL)]
    results, _ = APPLY_LIKE.call_many(client.get(), [(named, args)], also=also)
    return results[0]


def _is_newest(note_id: int, user_id: int, *, at: datetime, liked: bool) -> bool:
    """Return whether SQL has no later change."""
    rows = Like.objects.filter(note=note_id, user=user_id)
    return rows.filter(created_at=at).exists() if liked else not rows.exists()


def _drop_stale() -> None:
    while missed := list(_stale_note_ids)[:BATCH_COPIES]:
        drop(missed)
        _stale_note_ids.difference_update(missed)
