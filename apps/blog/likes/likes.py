"""Likes of notes: SQL has the rows and counts; a copy in Redis has the first likers and own likes."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.profiles import notification_counts
from apps.blog import heat
from apps.blog.likes import like_builds, like_copies, like_rows
from apps.blog.likes.like_builds import LikedNote
from apps.blog.models import Like, Note
from apps.redis_kit import client
from apps.web import on_commit

#: People shown under a note, the earliest of them.
MAX_FIRST_LIKERS = 5
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NoteLikes:
    """Of one note, for one viewer."""

    count: int
    liked: bool = False
    first: list[User] = field(default_factory=list)

    @property
    def others(self) -> int:
        """All but the very first."""
        return max(self.count, len(self.first)) - 1


def like(note_id: int, user_id: int) -> bool:
    """Like a published note, one's own too; whether that is new. Http404 for a note that is not there."""
    if _is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        if Like.objects.filter(note=note, user=user_id).exists():
            return False
        at = Like.objects.create(note=note, user_id=user_id, created_at=timezone.now()).created_at
        _change_count(note, 1)
        on_commit.run_after_commit(_after_like, note, user_id, at)
    return True


def unlike(note_id: int, user_id: int) -> bool:
    """Take a like back; whether there was one. Http404 for a note that is not there."""
    if not _is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        row = Like.objects.filter(note=note, user=user_id).first()
        if row is None:
            return False
        row.delete()
        _change_count(note, -1)
        # Later than its like on every clock.
        at = max(timezone.now(), row.created_at + like_copies.MICROSECOND)
        on_commit.run_after_commit(like_copies.apply_change, note_id, user_id, at=at, liked=False)
    return True


def for_notes(notes: Sequence[LikedNote], viewer_id: int | None, *, first: int = 0) -> dict[int, NoteLikes]:
    """Likes by note id, for any number of notes: one round trip, and one query if `first` people are wanted.

    Notes whose copy is absent, and all while Redis is away, cost a query or two more together.
    """
    asked = [note for note in notes if note.likes and (viewer_id or first)]
    copies = _load_copies(asked, viewer_id, first)
    everybody = {user_id for copy in copies.values() for user_id in copy.first}
    people = User.objects.in_bulk(everybody) if everybody else {}
    return {note.pk: _build_likes(note, copies.get(note.pk), people) for note in notes}


def for_note_page(note: Note, viewer_id: int | None) -> NoteLikes:
    """What `blog/_like.html` shows under a note."""
    return for_notes([note], viewer_id, first=MAX_FIRST_LIKERS)[note.pk]


def first_likers(note_id: int, many: int = MAX_FIRST_LIKERS) -> list[User]:
    """The earliest who like a note, in order of time."""
    note = Note.objects.filter(pk=note_id).first()
    return for_notes([note], None, first=many)[note_id].first if note else []


def _is_liked(note_id: int, user_id: int) -> bool:
    """As SQL has it, nothing locked: a request that is sent again makes nobody wait. Http404."""
    mine = Like.objects.filter(note=OuterRef("pk"), user=user_id)
    found = Note.objects.published().filter(pk=note_id).values_list(Exists(mine), flat=True).first()
    if found is None:
        raise Http404
    return bool(found)


def _change_count(note: Note, step: int) -> None:
    # Under the note's lock, so that heat can be worked out here; a count that had drifted stays above zero.
    count = max(0, note.likes + step)
    Note.objects.filter(pk=note.pk).update(likes=count, heat=heat.score(count, note.published_at))


def _after_like(note: Note, user_id: int, at: datetime) -> None:
    like_copies.apply_change(note.pk, user_id, at=at, liked=True)
    if note.author_id != user_id:
        notification_counts.add(note.author_id, notification_counts.Kind.LIKE)


def _load_copies(
    notes: Sequence[LikedNote], viewer_id: int | None, many: int
) -> dict[int, like_copies.LikesCopy]:
    if not notes:
        return {}
    try:
        found = like_copies.read_complete([note.pk for note in notes], viewer_id, first=many)
    except client.UNAVAILABLE:
        return like_rows.copies_from_sql([note.pk for note in notes], viewer_id, many)
    absent = [note for note in notes if note.pk not in found]
    if not absent:
        return found
    found |= like_rows.copies_from_sql([note.pk for note in absent], viewer_id, many)
    _build_copies(like_builds.affordable_ids(absent) if len(notes) > 1 else [notes[0].pk])
    return found


def _build_copies(note_ids: Sequence[int]) -> None:
    """Build copies for the next reader; this one has its answer."""
    try:
        like_builds.build(note_ids)
    except client.UNAVAILABLE:
        log.warning("likes of %d notes were not copied: Redis is away", len(note_ids))


def _build_likes(note: LikedNote, copy: like_copies.LikesCopy | None, people: dict[int, User]) -> NoteLikes:
    if copy is None:
        return NoteLikes(note.likes)
    first = [people[user_id] for user_id in copy.first if user_id in people]
    return NoteLikes(note.likes, copy.liked, first)
