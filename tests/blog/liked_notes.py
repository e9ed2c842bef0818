"""Notes that many like, and what Redis and SQL know of it."""

from collections.abc import Sequence
from datetime import timedelta

import factory
from django.utils import timezone

from apps.accounts.models import User
from apps.blog.like_copies import FIRST_LIKERS
from apps.blog.models import Like, Note
from tests.blog import makers
from tests.differences import find_differences
from tests.factories import LikeFactory


def liked_note(author: User, likers: Sequence[User]) -> Note:
    """A note that these people like, one after the other, not copied to Redis."""
    note = makers.note(author)
    at = timezone.now()
    Like.objects.bulk_create(
        LikeFactory.build(note=note, user=one, created_at=at + timedelta(microseconds=place))
        for place, one in enumerate(likers)
    )
    find_differences("blog.notes", fix=True)
    note.refresh_from_db()
    return note


def copied_user_ids(note: Note) -> list[int]:
    """The first likers in a complete copy; nobody when there is none."""
    return list(FIRST_LIKERS.read_copies([note.pk]).get(note.pk, {}))


def row_user_ids(note: Note) -> list[int]:
    """All likers as SQL has them, in order of time."""
    return list(note.like_rows.order_by("created_at", "id").values_list("user_id", flat=True))


def liked_note_in_sql(author: User, likers: Sequence[User]) -> Note:
    """As liked_note, while Redis is away."""
    note = makers.note(author, likes=len(likers))
    LikeFactory.bulk_create(len(likers), note=note, user=factory.Iterator(likers))
    return note
