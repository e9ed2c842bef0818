"""Who likes what, copied to Redis, and deleted by the changes that touch it (redis_kit.copies).

- FIRST_LIKERS of a note: a sorted set of the people who liked it first, by the microsecond of their like. A
  note that has enough likes keeps its copy, however many more it gets each second.
- LIKED of a person: the notes that they liked last. Only their own presses delete it.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.accounts.models import User
from apps.accounts.personal.parts import NotCached, PartRequest
from apps.blog import keys
from apps.blog.models import Like, Note
from apps.redis_kit import client, copies, transport
from apps.redis_kit.copies import COMPLETE_MEMBER, Ids
from apps.redis_kit.findings import name_few
from apps.redis_kit.transport import Command
from apps.web import batches

#: People who are shown under a note, and kept in its copy.
MAX_FIRST_LIKERS = 5
#: Notes of one person's copy; whether they like an older one SQL says.
MAX_LIKED = 1_000
#: Among the notes of a copy: the person likes older ones too. Ids of notes are above zero.
OLDER = -1
#: Notes, and people, whose copies a rebuild fills in one batch.
BATCH_NOTES, BATCH_PEOPLE = 500, 100
COPY_TTL = timedelta(days=30)
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
#: {user id: microsecond of the like}, the first one first.
Likers = dict[int, int]


class FirstLikers(copies.LeasedCopy[Likers]):
    """Sorted sets of people by the time of their like; each complete one has the member 0, scored 0."""

    add_command = "ZADD"

    def command(self, owner: int) -> Command:
        return ("ZRANGE", self.copy_key(owner), 0, -1, "WITHSCORES")

    def parse(self, reply: Any) -> Likers | None:
        copied = dict(zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True))
        return copied if copied.pop(COMPLETE_MEMBER, None) == 0 else None

    def _list_elements(self, contents: Likers) -> list[int]:
        return [0, COMPLETE_MEMBER, *(number for user_id, at in contents.items() for number in (at, user_id))]

    def _name_difference(self, actual: Likers, expected: Likers) -> tuple[str, str]:
        wrong, missing = actual.items() - expected.items(), expected.items() - actual.items()
        return name_few(user_id for user_id, _at in wrong), name_few(user_id for user_id, _at in missing)


class LikedNotes(copies.LeasedSet):
    """Sets of the ids of the notes that people liked last, and OLDER where they are not all."""

    def _read_copies(self, owners: Collection[int]) -> dict[int, Ids]:
        # Notes that were erased since are no difference: nobody looks for them.
        copied = super()._read_copies(owners)
        there = set(Note.objects.filter(pk__in=set().union(*copied.values())).values_list("pk", flat=True))
        return {owner: ids & {OLDER, *there} for owner, ids in copied.items()}


def first_likers_from_sql(note_ids: Collection[int]) -> dict[int, Likers]:
    """{note id: its first likers} from SQL; a query for each note, which reads no further likes."""
    found = {}
    for note_id in note_ids:
        rows = Like.objects.filter(note=note_id).order_by("created_at", "id")
        first = rows.values_list("user_id", "created_at")[:MAX_FIRST_LIKERS]
        found[note_id] = {user_id: (at - EPOCH) // MICROSECOND for user_id, at in first}
    return found


def liked_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: notes that they liked last} from SQL; a query for each person."""
    found = {}
    for user_id in user_ids:
        rows = (
            Like.objects.filter(user=user_id).order_by("-created_at", "-id").values_list("note_id", flat=True)
        )
        newest = list(rows[: MAX_LIKED + 1])
        found[user_id] = {*newest[:MAX_LIKED], *([OLDER] if len(newest) > MAX_LIKED else [])}
    return found


FIRST_LIKERS = FirstLikers(
    keys.FIRST_LIKERS,
    keys.FIRST_LIKERS_LEASE,
    query=first_likers_from_sql,
    expiry=COPY_TTL,
    finding=("note", "first likers"),
    owners=lambda: batches.counted_chunks(Note.objects.published().filter(likes__gt=0), BATCH_NOTES),
)
LIKED = LikedNotes(
    keys.LIKED,
    keys.LIKED_LEASE,
    query=liked_from_sql,
    expiry=COPY_TTL,
    finding=("person", "liked"),
    owners=lambda: batches.counted_chunks(
        User.objects.filter(pk__in=Like.objects.values("user")), BATCH_PEOPLE
    ),
)


def deletions(user_id: int, note_ids: Collection[int]) -> list[Command]:
    """The commands that delete a person's copy and those of notes, after a change."""
    return [("DEL", *LIKED.keys(user_id)), *(("DEL", *FIRST_LIKERS.keys(note_id)) for note_id in note_ids)]


def forget(note_ids: Collection[int]) -> None:
    """Delete the copies of notes that are gone; without Redis they expire by themselves."""
    FIRST_LIKERS.forget(note_ids)


def liked_among(user_id: int, note_ids: Collection[int]) -> Ids:
    """The given notes that a person likes; one round trip, and SQL where Redis doesn't know."""
    if not note_ids:
        return set()
    try:
        found = _parse(transport.execute(client.get(), _command(user_id, note_ids)), note_ids)
    except client.UNAVAILABLE:
        return _query_liked(user_id, note_ids)
    return _complete(user_id, note_ids, found)


def _command(user_id: int, note_ids: Collection[int]) -> Command:
    return LIKED.subset_command(user_id, [OLDER, *note_ids])


def _parse(reply: Any, note_ids: Collection[int]) -> Ids | None:
    """The liked ones among these notes, and OLDER where SQL has to say of the others; None without a copy."""
    found = LIKED.parse_subset(reply, [OLDER, *note_ids])
    return found - {OLDER} if found and found.issuperset(note_ids) else found


def _complete(user_id: int, note_ids: Collection[int], found: Ids | None) -> Ids:
    """What `_parse` found, with what SQL has to say."""
    if found is None:
        found = LIKED.load([user_id])[user_id] & {OLDER, *note_ids}
    return found | _query_liked(user_id, note_ids) if OLDER in found else found


def _query_liked(user_id: int, note_ids: Collection[int]) -> Ids:
    return set(Like.objects.filter(user=user_id, note__in=note_ids).values_list("note_id", flat=True))


class LikedPart:
    """The part "liked" of the personal answer: which of the shown notes the person likes."""

    param, empty, for_visitors = "notes", (), False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [_command(user_id, ids) for user_id, ids in requests]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        known = [_parse(reply, request.ids) for request, reply in zip(requests, replies, strict=True)]
        return [
            NotCached(found) if found is None or OLDER in found else self._in_order(request, found)
            for request, found in zip(requests, known, strict=True)
        ]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        return [
            self._in_order(request, _complete(request.user_id, request.ids, found))
            for request, found in zip(requests, known, strict=True)
        ]

    def _in_order(self, request: PartRequest, liked: Ids) -> list[int]:
        return [note_id for note_id in request.ids if note_id in liked]
