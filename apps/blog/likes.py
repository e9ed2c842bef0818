"""Likes and unlikes notes, and says who likes what.

SQL has the rows and the counts, and decides. The first likers of a note, and what a person likes, are copied
to Redis (like_copies).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User, is_listed
from apps.accounts.relations import blocks
from apps.blog import findable_notes, heat, like_copies
from apps.blog.like_copies import MAX_FIRST_LIKERS
from apps.blog.models import Like, Note
from apps.mailbox import copies, notifications
from apps.mailbox.notices import Kind, Notice
from apps.queues import owed
from apps.web import findable, paging
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate

PAGE_SIZE = paging.PAGE_SIZE


class LikedNote(Protocol):
    """A note, or any object with a note's id and SQL's count of its likes."""

    @property
    def pk(self) -> Any: ...
    @property
    def likes(self) -> int: ...


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


class LockedNote(NamedTuple):
    """What a like needs to know of its note, whose row is locked until the commit."""

    pk: int
    author_id: int
    likes: int
    published_at: datetime


@CompiledQuery
def _query_count(note_id: int) -> QuerySet[Any, tuple[int]]:
    return Note.objects.published().filter(pk=note_id).values_list("likes")


@CompiledQuery
def _query_any_count(note_id: int) -> QuerySet[Any, tuple[int]]:
    return Note.objects.filter(pk=note_id).values_list("likes")


@CompiledQuery
def _query_is_liked(note_id: int, user_id: int) -> QuerySet[Any, tuple[bool]]:
    mine = Like.objects.filter(note=OuterRef("pk"), user=user_id)
    return Note.objects.published().filter(pk=note_id).values_list(Exists(mine))


@CompiledQuery
def _query_locked(note_id: int) -> QuerySet[Any, tuple[Any, ...]]:
    return Note.objects.published().locked().filter(pk=note_id).values_list(*LockedNote._fields)


@CompiledInsert
def _insert_like(note_id: int, user_id: int, at: datetime) -> Like:
    return Like(note_id=note_id, user_id=user_id, created_at=at)


@CompiledUpdate
def _update_count(note_id: int, likes: int, score: float) -> Change:
    return Note.objects.filter(pk=note_id), {"likes": likes, "heat": score}


def like(note_id: int, user_id: int) -> bool:
    """Like a published note, which may be the person's own; returns whether the like is new.

    Http404, Problem 403 blocked.
    """
    if is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = _lock_note(note_id)
        blocks.require_together(user_id, [note.author_id], _("You can't like this note."))
        if _insert_like(note_id, user_id, timezone.now()) is None:
            return False
        _cause(note, user_id, liked=True)
    return True


def unlike(note_id: int, user_id: int) -> bool:
    """Remove a person's like of a published note; returns whether there was one. Http404."""
    if not is_liked(note_id, user_id):
        return False
    with transaction.atomic():
        note = _lock_note(note_id)
        gone, _by_model = Like.objects.filter(note=note_id, user=user_id).delete()
        if not gone:
            return False
        _cause(note, user_id, liked=False)
    return True


def _cause(note: LockedNote, user_id: int, *, liked: bool) -> None:
    """All that a like, or its end, causes: the note's numbers, its entry in search, notification, copies."""
    # A count that has drifted doesn't fall below 0: blog.reconcile repairs it.
    count = max(0, note.likes + (1 if liked else -1))
    _update_count(note.pk, count, heat.score(count, note.published_at))
    findable.changed(findable_notes.NAME, note.pk, columns=["likes"])
    notice = Notice(note.author_id, Kind.LIKE, actor_id=user_id, target_kind="note", target_id=note.pk)
    told = (notifications.notify if liked else notifications.take_back)(notice, owes=False)
    # A like after the first ones changes nothing in the copy of these.
    changed_ids = [] if liked and note.likes >= MAX_FIRST_LIKERS else [note.pk]
    owed.run_after_commit(forget_copies, user_id, changed_ids, told)


def forget_copies(user_id: int, note_ids: Collection[int], told_ids: Collection[int] = ()) -> None:
    """Delete the copies of what a person likes, of notes' first likers, and of mailboxes; one round trip."""
    copies.publish(told_ids, Kind.LIKE, also=like_copies.deletions(user_id, note_ids))


def erase_of_hidden(note_id: int, user_id: int) -> None:
    """Remove a like of a note that is not published, with its share in the count and the heat."""
    note = Note.objects.locked().get(pk=note_id)
    gone, _by_model = Like.objects.filter(note=note_id, user=user_id).delete()
    count = max(0, note.likes - gone)
    score = heat.score(count, note.published_at) if note.published_at else note.heat
    Note.objects.filter(pk=note_id).update(likes=count, heat=score)
    owed.run_after_commit(forget_copies, user_id, [note_id])


# What readers see.


def for_notes(notes: Sequence[LikedNote], viewer_id: int | None) -> dict[int, NoteLikes]:
    """Return the likes of any number of notes by note id, without who liked them first; one round trip."""
    asked = [note.pk for note in notes if note.likes]
    liked = like_copies.liked_among(viewer_id, asked) if viewer_id else set()
    return {note.pk: NoteLikes(note.likes, note.pk in liked) for note in notes}


def for_note_page(note: LikedNote, viewer_id: int | None) -> NoteLikes:
    """Return the likes that `blog/_like.html` shows under a note, with those who liked it first."""
    shown = for_notes([note], viewer_id)[note.pk]
    if not note.likes:
        return shown
    likers = like_copies.FIRST_LIKERS.read(note.pk)
    people = User.objects.listed().in_bulk(likers)
    first = sorted((user_id for user_id in likers if user_id in people), key=likers.__getitem__)
    return NoteLikes(shown.count, shown.liked, [people[user_id] for user_id in first])


def count_likes(note_id: int) -> int:
    """Return the number of likes of a published note, as stored in SQL; Http404."""
    return int(_first_or_404(_query_count(note_id))[0])


def count_after_change(note_id: int) -> int:
    """Return the number of likes after a change of one; 0, and no 404, for a note that is gone by now."""
    return next((likes for (likes,) in _query_any_count(note_id)), 0)


def is_liked(note_id: int, user_id: int) -> bool:
    """Return whether SQL has the like; Http404. Takes no lock, so a repeated request delays no other."""
    return bool(_first_or_404(_query_is_liked(note_id, user_id))[0])


def _lock_note(note_id: int) -> LockedNote:
    """Lock a published note's row until the commit; Http404."""
    return LockedNote._make(_first_or_404(_query_locked(note_id)))


def _first_or_404(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    if not rows:
        raise Http404
    return rows[0]


def likes_of_person(user_id: int) -> QuerySet[Like]:
    """Return a person's likes of notes that are still published."""
    return Like.objects.filter(user=user_id, note__status=Note.Status.PUBLISHED)


def list_liked_notes(user_id: int, *, cursor: str | None, size: int = PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of the notes a person likes, the newest like first; only ids are loaded. BadCursor."""
    order: list[str] = ["-created_at", "-id"]
    rows = likes_of_person(user_id).select_related("note").only("created_at", "note__id")
    found = paging.fetch_page(rows, order=order, types=[str, int], cursor=cursor, size=size)
    return paging.Page([row.note for row in found.items], found.next)


def list_likers(note_id: int, *, cursor: str | None, size: int = PAGE_SIZE) -> paging.Page[Like]:
    """Return a page of a published note's likes with `user`, the earliest first; Http404, BadCursor."""
    count_likes(note_id)
    rows = Like.objects.filter(is_listed("user"), note=note_id).select_related("user")
    return paging.fetch_page(rows, order=["created_at", "id"], types=[str, int], cursor=cursor, size=size)
