"""Compares notes' counts in SQL, and the copies of likes in Redis, with SQL's rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from apps.blog import findable_notes, heat
from apps.blog.feed import inbox_filling
from apps.blog.likes import like_copies
from apps.blog.models import Comment, Like, Note
from apps.blog.writing import dishes, shop_scores
from apps.redis_kit.findings import Finding
from apps.web import batches, findable

#: Notes compared in one batch.
BATCH_NOTES = 500


@dataclass(frozen=True)
class Drift:
    """A wrong "likes", "comments", "heat" or "copy" (of the likes) of a note: actual and expected value."""

    note_id: int
    aspect: str
    actual: str
    expected: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Return every difference from SQL's rows, each checked twice; `fix` repairs them.

    Raises client.UNAVAILABLE without Redis.
    """
    return [difference for _last, found in compare(fix) for difference in found]


def compare(fix: bool, after: int = 0) -> Iterator[tuple[int, list[Drift]]]:
    """Yield the last id of each batch of notes past the id `after`, and the batch's differences."""
    for note_ids in batches.iter_pk_chunks(Note.objects.all(), BATCH_NOTES, after=after):
        counts = [each for note_id in _miscounted_ids(note_ids) for each in _recheck_counts(note_id, fix=fix)]
        yield note_ids[-1], [*counts, *_check_copies(note_ids, fix=fix)]


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


def _recheck_counts(note_id: int, *, fix: bool) -> Iterator[Drift]:
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
        yield Drift(note_id, name, str(actual), str(expected))


def _check_copies(note_ids: Sequence[int], *, fix: bool) -> list[Drift]:
    # Two comparisons: a like that commits during one of them differs in that one only.
    suspects = [difference.note_id for difference in _differing_copies(note_ids)]
    differences = _differing_copies(suspects)
    if fix and differences:
        like_copies.drop([difference.note_id for difference in differences])
    return differences


def _differing_copies(note_ids: Sequence[int]) -> list[Drift]:
    copies = like_copies.read_all(note_ids)
    rows: dict[int, dict[int, int]] = {note_id: {} for note_id in copies}
    likes = Like.objects.filter(note__in=list(copies))
    for note_id, user_id, at in likes.values_list("note_id", "user_id", "created_at"):
        rows[note_id][user_id] = like_copies.to_microseconds(at)
    return [
        Drift(note_id, "copy", _name_people(copy, rows[note_id]), _name_people(rows[note_id], copy))
        for note_id, copy in copies.items()
        if copy != rows[note_id]
    ]


def _name_people(likes: dict[int, int], other_likes: dict[int, int]) -> str:
    """Return the ids of up to five people whose like is missing or has another time in `other_likes`."""
    people = sorted(user_id for user_id, at in likes.items() if other_likes.get(user_id) != at)
    return ", ".join(map(str, people[:5])) + (" …" if len(people) > 5 else "")


def compare_notes(fix: bool, after: int) -> Iterator[tuple[int, list[Finding]]]:
    """Yield the last id of each batch past the id `after`, with differences in counts and copies of notes."""
    for last, differences in compare(fix, after):
        yield last, list(map(_finding, differences))


def _finding(found: Drift) -> Finding:
    return Finding(f"note {found.note_id}", found.aspect, found.actual, found.expected)


def compare_scores(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch past the id `after`, with differences in scores of shops."""
    for last, differences in shop_scores.compare(fix, after):
        yield last, map(_score_finding, differences)


def _score_finding(found: shop_scores.Drift) -> Finding:
    aspect = "rating / reviews / taste / room / service"
    return Finding(f"shop {found.shop_id}", aspect, found.actual, found.expected)


def check_dishes(fix: bool) -> Iterator[Finding]:
    """Yield dishes whose number of recommendations differs."""
    for found in dishes.drift(fix=fix):
        yield Finding(f"dish {found.dish_id}", "recommended", str(found.actual), str(found.expected))


def compare_feeds(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch past the id `after`, with differences in inboxes of readers."""
    for last, differences in inbox_filling.compare(fix, after):
        yield last, map(_feed_finding, differences)


def _feed_finding(found: inbox_filling.Drift) -> Finding:
    missing = ", ".join(map(str, found.missing[:5])) + (" …" if len(found.missing) > 5 else "")
    return Finding(f"person {found.reader_id}", "inbox", "", f"notes {missing}")
