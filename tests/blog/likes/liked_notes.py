"""Notes that many like, and what Redis and SQL know of it."""

from collections.abc import Sequence
from datetime import timedelta

import factory
from django.utils import timezone

from apps.accounts.models import User
from apps.blog.likes import like_builds, like_copies
from apps.blog.models import Like, Note
from tests.blog import makers
from tests.differences import find_differences
from tests.factories import LikeFactory

#: Of a build that began long ago: no change is as old.
OLD_BUILD_TOKEN = "1-token"


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
    """Whose likes a whole copy holds; nobody's when there is none."""
    return list(like_copies.read_all([note.pk]).get(note.pk, {}))


def row_user_ids(note: Note) -> list[int]:
    """The same of SQL, in order of time."""
    return list(note.like_rows.order_by("created_at", "id").values_list("user_id", flat=True))


def make_old_empty_copy(note: Note) -> None:
    """An empty copy that takes changes without asking SQL."""
    mine = like_builds._take_leases([note.pk], OLD_BUILD_TOKEN)
    like_builds._write_builds(mine, [], OLD_BUILD_TOKEN)
    assert like_builds._swap_in(mine, OLD_BUILD_TOKEN) == 1


def liked_note_in_sql(author: User, likers: Sequence[User]) -> Note:
    """As liked_note, while Redis is away."""
    note = makers.note(author, likes=len(likers))
    LikeFactory.bulk_create(len(likers), note=note, user=factory.Iterator(likers))
    return note
