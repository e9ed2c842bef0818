"""Reads likes from SQL: pages of likes, and what a copy would say that Redis lacks."""

from collections.abc import Iterable

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404

from apps.blog.likes.like_copies import LikesCopy
from apps.blog.models import Like, Note
from apps.web import paging

PAGE_SIZE = 20


def count_likes(note_id: int) -> int:
    """Return the number of likes of a published note, as stored in SQL; Http404."""
    found = Note.objects.published().filter(pk=note_id).values_list("likes", flat=True).first()
    if found is None:
        raise Http404
    return found


def likes_of_person(user_id: int) -> QuerySet[Like]:
    """Return a person's likes of notes that are still published."""
    return Like.objects.filter(user=user_id, note__status=Note.Status.PUBLISHED)


def list_liked_notes(user_id: int, *, cursor: str | None) -> paging.Page[Note]:
    """Return a page of the notes a person likes, the newest like first; only ids are loaded. BadCursor."""
    order: list[str] = ["-created_at", "-id"]
    rows = likes_of_person(user_id).select_related("note").only("created_at", "note__id")
    found = paging.fetch_page(rows, order=order, types=[str, int], cursor=cursor, size=PAGE_SIZE)
    return paging.Page([row.note for row in found.items], found.next)


def list_likers(note_id: int, *, cursor: str | None) -> paging.Page[Like]:
    """Return a page of a published note's likes with `user`, the earliest first; Http404, BadCursor."""
    count_likes(note_id)
    rows = Like.objects.filter(note=note_id).select_related("user")
    return paging.fetch_page(
        rows, order=["created_at", "id"], types=[str, int], cursor=cursor, size=PAGE_SIZE
    )


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
