"""Compares the counts and the heat of notes with the rows that they are computed from."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from apps.blog import findable_notes, heat
from apps.blog.models import Comment, Like, Note
from apps.redis_kit.findings import Finding
from apps.web import batches, findable

#: Notes compared in one batch.
BATCH_NOTES = 500


def compare_counts(fix: bool, after: int) -> Iterator[tuple[int, list[Finding]]]:
    """Yield the last id of each batch of notes past the id `after`, and the batch's differences."""
    for note_ids in batches.iter_pk_chunks(Note.objects.all(), BATCH_NOTES, after=after):
        wrong = _miscounted_ids(note_ids)
        yield note_ids[-1], [found for note_id in wrong for found in _recheck_counts(note_id, fix=fix)]


def _miscounted_ids(note_ids: Sequence[int]) -> list[int]:
    likes = _counts_by_note(Like.objects.all(), note_ids)
    comments = _counts_by_note(Comment.objects.visible(), note_ids)
    return [
        note.pk
        for note in Note.objects.filter(pk__in=note_ids)
        if _wrong_columns(note, likes.get(note.pk, 0), comments.get(note.pk, 0))
    ]


def _counts_by_note(rows: "QuerySet[Any]", note_ids: Sequence[int]) -> dict[int, int]:
    """Return the number of rows by note, for notes that have any."""
    counts = rows.filter(note__in=note_ids).values("note").annotate(count=Count("pk"))
    return {row["note"]: row["count"] for row in counts}


def _wrong_columns(note: Note, likes: int, comments: int) -> dict[str, tuple[float, float]]:
    """Return {column: (actual, expected)} of the columns that are wrong."""
    columns: dict[str, tuple[float, float]] = {
        "likes": (note.likes, likes),
        "comments": (note.comments, comments),
    }
    if note.published_at:
        columns["heat"] = (note.heat, heat.score(likes, note.published_at))
    return {name: (actual, expected) for name, (actual, expected) in columns.items() if actual != expected}


def _recheck_counts(note_id: int, *, fix: bool) -> Iterator[Finding]:
    """Compare one note again while its row is locked, so that no like or comment can change it."""
    with transaction.atomic():
        note = Note.objects.locked().filter(pk=note_id).first()
        if note is None:
            return
        likes = Like.objects.filter(note=note).count()
        wrong = _wrong_columns(note, likes, Comment.objects.visible().filter(note=note).count())
        if wrong and fix:
            right = {name: expected for name, (_, expected) in wrong.items()}
            Note.objects.filter(pk=note_id).update(**right)
            findable.changed(findable_notes.NAME, note_id, columns=right)
    for name, (actual, expected) in wrong.items():
        yield Finding(f"note {note_id}", name, str(actual), str(expected))
