"""A note's place in feeds: the microsecond of its publication, and its id among those of one microsecond."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Q

from apps.blog.models import Note, NoteQuerySet

UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
#: What a date can say, with a day to spare for time zones.
MAX_MICROSECOND = (datetime.max.replace(tzinfo=UTC) - timedelta(days=1) - UNIX_EPOCH) // MICROSECOND


class FeedPosition(NamedTuple):
    """Compares as feeds are ordered; later is larger."""

    at: int
    note_id: int

    @classmethod
    def for_note(cls, note: Note) -> "FeedPosition":
        """Of a published note."""
        assert note.published_at, "published"
        return cls.at_time(note.published_at, note.pk)

    @classmethod
    def at_time(cls, moment: datetime, note_id: int) -> "FeedPosition":
        return cls((moment - UNIX_EPOCH) // MICROSECOND, note_id)

    @property
    def moment(self) -> datetime:
        return UNIX_EPOCH + min(self.at, MAX_MICROSECOND) * MICROSECOND


def rows_below(rows: NoteQuerySet, before: FeedPosition | None) -> NoteQuerySet:
    """The rows that come after this place on a page."""
    if before is None:
        return rows
    same = Q(published_at=before.moment, pk__lt=before.note_id)
    # The first condition alone says nothing new; it is what an index can use.
    return rows.filter(published_at__lte=before.moment).filter(Q(published_at__lt=before.moment) | same)


def newest_positions(rows: NoteQuerySet, *, before: FeedPosition | None, most: int) -> list[FeedPosition]:
    """The first places of these rows below another; one query."""
    found = rows_below(rows, before).order_by("-published_at", "-pk").values_list("published_at", "pk")[:most]
    return [FeedPosition.at_time(moment, note_id) for moment, note_id in found if moment]


def sort_newest_first(notes: Iterable[Note]) -> list[Note]:
    """As a feed shows them."""
    return sorted(notes, key=FeedPosition.for_note, reverse=True)
