"""Queries for the notes that belong in a reader's feed."""

from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow


def of_reader(reader_id: int) -> NoteQuerySet:
    """Return the published notes of all people whom a reader follows."""
    authors = Follow.objects.filter(follower=reader_id).values("followee")
    return Note.objects.published().filter(author__in=authors)


def unpushed_of_reader(reader_id: int) -> NoteQuerySet:
    """Return a reader's followed notes that are in no inbox: still being pushed, or too many followers."""
    return of_reader(reader_id).filter(pushed_at=None)
