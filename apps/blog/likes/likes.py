"""Likes and unlikes notes in SQL; reads counts from SQL, first likers and own likes from Redis."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.blog.likes import like_builds, like_copies, like_rows
from apps.blog.likes.like_builds import LikedNote
from apps.blog.models import Like, Note
from apps.mailbox import copies, notifications
from apps.mailbox.notices import Kind, Notice
from apps.queues import owed
from apps.redis_kit import client

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
    """Like a published note, which may be the person's own; returns whether the like is new.

    Http404, Problem 403 blocked.
    """
    if like_rows.is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note, at = like_rows.lock_note(note_id), timezone.now()
        blocks.require_together(user_id, [note.author_id], _("You can't like this note."))
        if not like_rows.insert(note_id, user_id, at):
            return False
        like_rows.change_count(note, 1)
        told = notifications.notify(_build_notice(note, user_id), owes=False)
        _change_after_commit(note, user_id, at, liked=True, is_told=bool(told))
    return True


def unlike(note_id: int, user_id: int) -> bool:
    """Remove a person's like of a published note; returns whether there was one. Http404."""
    if not like_rows.is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = like_rows.lock_note(note_id)
        row = Like.objects.filter(note=note_id, user=user_id).first()
        if row is None:
            return False
        row.delete()
        like_rows.change_count(note, -1)
        # An unlike must be later than its like, even if this host's clock is behind.
        at = max(timezone.now(), row.created_at + like_copies.MICROSECOND)
        told = notifications.take_back(_build_notice(note, user_id), owes=False)
        _change_after_commit(note, user_id, at, liked=False, is_told=bool(told))
    return True


def for_notes(notes: Sequence[LikedNote], viewer_id: int | None, *, first: int = 0) -> dict[int, NoteLikes]:
    """Return the likes of any number of notes by note id, with the `first` people who liked each.

    One round trip, and one query if `first` is not 0. Notes without a complete copy, or all of them without
    Redis, take up to two queries more in all.
    """
    liked_notes = [note for note in notes if note.likes and (viewer_id or first)]
    copies = _load_copies(liked_notes, viewer_id, first)
    everybody = {user_id for copy in copies.values() for user_id in copy.first}
    people = User.objects.listed().in_bulk(everybody)
    return {note.pk: _build_likes(note, copies.get(note.pk), people) for note in notes}


def for_note_page(note: Note, viewer_id: int | None) -> NoteLikes:
    """Return the likes that `blog/_like.html` shows under a note."""
    return for_notes([note], viewer_id, first=MAX_FIRST_LIKERS)[note.pk]


def first_likers(note_id: int, many: int = MAX_FIRST_LIKERS) -> list[User]:
    """Return the first `many` people who liked a note, in order of time; [] if there is no such note."""
    note = Note.objects.filter(pk=note_id).first()
    return for_notes([note], None, first=many)[note_id].first if note else []


def _build_notice(note: like_rows.LockedNote, user_id: int) -> Notice:
    """The notice of a like for the note's author."""
    return Notice(
        recipient_id=note.author_id, kind=Kind.LIKE, actor_id=user_id, target_kind="note", target_id=note.pk
    )


def forget_copy(note_id: int, told_ids: Sequence[int]) -> None:
    """Drop the copied likes of a note, and the copied mailboxes of whom a like has told."""
    like_copies.forget([note_id])
    copies.publish(told_ids, Kind.LIKE)


def _change_after_commit(
    note: like_rows.LockedNote, user_id: int, at: datetime, *, liked: bool, is_told: bool
) -> None:
    at_once = partial(_after_change, note, user_id, at, liked=liked, is_told=is_told)
    owed.run_after_commit(forget_copy, note.pk, [note.author_id] if is_told else [], at_once=at_once)


def _after_change(
    note: like_rows.LockedNote, user_id: int, at: datetime, *, liked: bool, is_told: bool
) -> None:
    """Apply a like or its end to the note's copy, and to the author's notifications, in one round trip."""
    also = copies.commands([note.author_id], Kind.LIKE) if is_told else ()
    like_copies.apply_change(note.pk, user_id, at=at, liked=liked, also=also)


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


def build_copies(notes: Iterable[LikedNote]) -> None:
    """Build copies of the likes of as many of these notes as one request can copy, for later readers."""
    _build_copies(like_builds.affordable_ids(notes))


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
