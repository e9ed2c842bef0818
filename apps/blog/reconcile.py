"""Likes and comments of notes held against the rows, which are the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from apps.blog import heat
from apps.blog.likes import like_copies
from apps.blog.models import Comment, Like, Note
from apps.web import batches

#: Notes compared at a time.
BATCH_NOTES = 500


@dataclass(frozen=True)
class Drift:
    """Of one note, "likes", "comments", "heat" or "copy" (of its likes): what it says, what the rows say."""

    note_id: int
    what: str
    held: str
    rows: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Everything that disagrees with the rows, looked at twice; with `fix` it is right afterwards.

    Raises client.UNAVAILABLE without Redis.
    """
    found = list[Drift]()
    for some in batches.iter_pk_chunks(Note.objects.all(), BATCH_NOTES):
        for note_id in _miscounted_ids(some):
            found += _recheck_counts(note_id, fix=fix)
        found += _check_copies(some, fix=fix)
    return found


def _miscounted_ids(note_ids: Sequence[int]) -> list[int]:
    likes = _counts_by_note(Like.objects.all(), note_ids)
    comments = _counts_by_note(Comment.objects.visible(), note_ids)
    return [
        note.pk
        for note in Note.objects.filter(pk__in=note_ids)
        if _wrong_columns(note, likes.get(note.pk, 0), comments.get(note.pk, 0))
    ]


def _counts_by_note(rows: "QuerySet[Any]", note_ids: Sequence[int]) -> dict[int, int]:
    """Rows by note, of notes that have any."""
    counted = rows.filter(note__in=note_ids).values("note").annotate(many=Count("pk"))
    return {row["note"]: row["many"] for row in counted}


def _wrong_columns(note: Note, likes: int, comments: int) -> dict[str, tuple[float, float]]:
    """Column -> (what it says, what it should), of those that are wrong."""
    said: dict[str, tuple[float, float]] = {
        "likes": (note.likes, likes),
        "comments": (note.comments, comments),
    }
    if note.published_at:
        said["heat"] = (note.heat, heat.score(likes, note.published_at))
    return {name: (held, right) for name, (held, right) in said.items() if held != right}


def _recheck_counts(note_id: int, *, fix: bool) -> Iterator[Drift]:
    """Once more, while nobody can like it or comment on it."""
    with transaction.atomic():
        note = Note.objects.locked().filter(pk=note_id).first()
        if note is None:
            return
        likes = Like.objects.filter(note=note).count()
        wrong = _wrong_columns(note, likes, Comment.objects.visible().filter(note=note).count())
        if wrong and fix:
            Note.objects.filter(pk=note_id).update(**{name: right for name, (_, right) in wrong.items()})
    for name, (held, right) in wrong.items():
        yield Drift(note_id, name, str(held), str(right))


def _check_copies(note_ids: Sequence[int], *, fix: bool) -> list[Drift]:
    """A like that commits meanwhile is missing from one of two looks only."""
    found = _differing_copies([one.note_id for one in _differing_copies(note_ids)])
    if fix and found:
        like_copies.drop([one.note_id for one in found])
    return found


def _differing_copies(note_ids: Sequence[int]) -> list[Drift]:
    held = like_copies.read_all(note_ids)
    rows: dict[int, dict[int, int]] = {note_id: {} for note_id in held}
    found = Like.objects.filter(note__in=list(held))
    for note_id, user_id, at in found.values_list("note_id", "user_id", "created_at"):
        rows[note_id][user_id] = like_copies.to_microseconds(at)
    return [
        Drift(
            note_id,
            "copy",
            _name_people(held[note_id], rows[note_id]),
            _name_people(rows[note_id], held[note_id]),
        )
        for note_id in held
        if held[note_id] != rows[note_id]
    ]


def _name_people(these: dict[int, int], those: dict[int, int]) -> str:
    """A few of the people whom only `these` know, or know otherwise."""
    people = sorted(user_id for user_id, at in these.items() if those.get(user_id) != at)
    return ", ".join(map(str, people[:5])) + (" …" if len(people) > 5 else "")
