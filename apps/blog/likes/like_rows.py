"""Likes in SQL: rows and counts, pages of likes, and what a copy would say that Redis lacks."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404

from apps.accounts.models import is_listed
from apps.blog import findable_notes, heat
from apps.blog.likes.like_copies import LikesCopy
from apps.blog.models import Like, Note
from apps.web import findable, paging
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate

PAGE_SIZE = paging.PAGE_SIZE


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


def count_likes(note_id: int) -> int:
    """Return the number of likes of a published note, as stored in SQL; Http404."""
    return int(_first_or_404(_query_count(note_id))[0])


def count_after_change(note_id: int) -> int:
    """Return the number of likes after a change of one; 0, and no 404, for a note that is gone by now."""
    return next((likes for (likes,) in _query_any_count(note_id)), 0)


def is_liked(note_id: int, user_id: int) -> bool:
    """Return whether SQL has the like; Http404. Takes no lock, so a repeated request delays no other."""
    return bool(_first_or_404(_query_is_liked(note_id, user_id))[0])


def lock_note(note_id: int) -> LockedNote:
    """Lock a published note's row until the commit; Http404."""
    return LockedNote._make(_first_or_404(_query_locked(note_id)))


def insert(note_id: int, user_id: int, at: datetime) -> bool:
    """Insert a like; returns False if the person likes the note already."""
    return _insert_like(note_id, user_id, at) is not None


def erase_of_hidden(note_id: int, user_id: int) -> None:
    """Remove a like of a note that is not published, with its share in the count and the heat."""
    note = Note.objects.locked().get(pk=note_id)
    gone, _by_model = Like.objects.filter(note=note_id, user=user_id).delete()
    count = max(0, note.likes - gone)
    score = heat.score(count, note.published_at) if note.published_at else note.heat
    Note.objects.filter(pk=note_id).update(likes=count, heat=score)


def change_count(note: LockedNote, step: int) -> None:
    """Add to a locked note's number of likes, from which its heat follows; a wrong one stays above 0."""
    count = max(0, note.likes + step)
    _update_count(note.pk, count, heat.score(count, note.published_at))
    findable.changed(findable_notes.NAME, note.pk, columns=["likes"])


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


def copies_from_sql(note_ids: Iterable[int], viewer_id: int | None, many: int) -> dict[int, LikesCopy]:
    """Return what complete copies of these notes' likes would say, by note id.

    One query for the viewer's likes, and one for the `many` first likers if `many` is not 0.
    """
    rows = Like.objects.filter(note__in=list(note_ids))
    mine = set(rows.filter(user=viewer_id).values_list("note_id", flat=True)) if viewer_id else set[int]()
    people: dict[int, list[int]] = {}
    if many:
        order = [F("created_at"), F("id")]
        place = Window(RowNumber(), partition_by=F("note_id"), order_by=order)
        early = rows.annotate(place=place).filter(place__lte=many).order_by("note_id", "place")
        for note_id, user_id in early.values_list("note_id", "user_id"):
            people.setdefault(note_id, []).append(user_id)
    return {note_id: LikesCopy(liked=note_id in mine, first=people.get(note_id, [])) for note_id in note_ids}
