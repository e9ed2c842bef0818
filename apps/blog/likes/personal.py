"""The part "liked" of the personal answer: which of the shown notes the person likes."""

from collections.abc import Sequence
from typing import Any

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.blog import keys
from apps.blog.likes import like_copies, likes
from apps.blog.models import Like, Note
from apps.redis_kit.transport import Command


class LikedPart:
    """Note ids, from the complete copies in Redis; for a note without one from SQL, which also makes one."""

    param, empty, for_visitors = "notes", (), False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [
            ("ZMSCORE", keys.LIKES(note=note_id), like_copies.COMPLETE_MARK, *users)
            for note_id, users in _users_by_note(requests).items()
        ]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        found: dict[int, set[int] | None] = {}
        for (note_id, users), (mark, *scores) in zip(_users_by_note(requests).items(), replies, strict=True):
            is_complete = mark is not None and not like_copies.is_stale(note_id)
            likers = {user_id for user_id, score in zip(users, scores, strict=True) if score is not None}
            found[note_id] = likers if is_complete else None
        return [_liked_notes(request, found) for request in requests]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        note_ids = {note_id for request in requests for note_id in request.ids}
        users = {request.user_id for request in requests}
        rows = Like.objects.filter(user__in=users, note__in=note_ids).values_list("user_id", "note_id")
        pairs = set(rows)
        likes.build_copies(Note.objects.published().filter(pk__in=note_ids).only("pk", "likes"))
        return [
            [note_id for note_id in request.ids if (request.user_id, note_id) in pairs]
            for request in requests
        ]


def _users_by_note(requests: Sequence[PartRequest]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for user_id, ids in requests:
        for note_id in ids:
            found.setdefault(note_id, []).append(user_id)
    return found


def _liked_notes(request: PartRequest, likers: dict[int, set[int] | None]) -> list[int] | NotCached:
    liked = []
    for note_id in request.ids:
        known = likers[note_id]
        if known is None:
            return NotCached()
        if request.user_id in known:
            liked.append(note_id)
    return liked
