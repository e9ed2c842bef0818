"""Likes and unlikes notes in SQL; reads counts from SQL, first likers and own likes from Redis."""

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

#: People shown under a note: those who liked it first.
MAX_FIRST_LIKERS = 5
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NoteLikes:
    """A note's number of likes, whether the viewer likes it, and its first likers."""

    count: int
    liked: bool = False
    first: list[User] = field(default_factory=list)

    @property
    def others(self) -> int:
        """The number of likes besides the first liker's."""
        return max(self.count, len(self.first)) - 1


def like(note_id: int, user_id: int) -> bool:
    """Like a published note, which may be the person's own; returns whether the like is new. Http404."""
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
    """Remove a person's like of a published note; returns whether there was one. Http404."""
    if not _is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        row = Like.objects.filter(note=note, user=user_id).first()
        if row is None:
            return False
        row.delete()
        _change_count(note, -1)
        # An unlike must be later than its like, even if this host's clock is behind.
        at = max(timezone.now(), row.created_at + like_copies.MICROSECOND)
        on_commit.run_after_commit(like_copies.apply_change, note_id, user_id, at=at, liked=False)
    return True


def for_notes(notes: Sequence[LikedNote], viewer_id: int | None, *, first: int = 0) -> dict[int, NoteLikes]:
    """Return the likes of any number of notes by note id, with the `first` people who liked each.

    One round trip, and one query if `first` is not 0. Notes without a complete copy, or all of them without
    Redis, take up to two queries more in all.
    """
    asked = [note for note in notes if note.likes and (viewer_id or first)]
    copies = _load_copies(asked, viewer_id, first)
    everybody = {user_id for copy in copies.values() for user_id in copy.first}
    people = User.objects.in_bulk(everybody) if everybody else {}
    return {note.pk: _build_likes(note, copies.get(note.pk), people) for note in notes}


def for_note_page(note: Note, viewer_id: int | None) -> NoteLikes:
    """Return the likes that `blog/_like.html` shows under a note."""
    return for_notes([note], viewer_id, first=MAX_FIRST_LIKERS)[note.pk]


def first_likers(note_id: int, many: int = MAX_FIRST_LIKERS) -> list[User]:
    """Return the first `many` people who liked a note, in order of time; [] if there is no such note."""
    note = Note.objects.filter(pk=note_id).first()
    return for_notes([note], None, first=many)[note_id].first if note else []


def _is_liked(note_id: int, user_id: int) -> bool:
    """Return whether SQL has the like; Http404. Takes no lock, so a repeated request delays no other."""
    mine = Like.objects.filter(note=OuterRef("pk"), user=user_id)
    found = Note.objects.published().filter(pk=note_id).values_list(Exists(mine), flat=True).first()
    if found is None:
        raise Http404
    return bool(found)


def _change_count(note: Note, step: int) -> None:
    # The note is locked, so heat can be computed from its count. A wrong count never goes below 0.
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
    """Build copies for later readers; without Redis, log a warning."""
    try:
        like_builds.build(note_ids)
    except client.UNAVAILABLE:
        log.warning("likes of %d notes were not copied: Redis is away", len(note_ids))


def _build_likes(note: LikedNote, copy: like_copies.LikesCopy | None, people: dict[int, User]) -> NoteLikes:
    if copy is None:
        return NoteLikes(note.likes)
    first = [people[user_id] for user_id in copy.first if user_id in people]
    return NoteLikes(note.likes, copy.liked, first)
