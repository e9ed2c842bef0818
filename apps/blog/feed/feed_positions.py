"""A note's position in feeds: the microsecond of its publication, then its id."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Q

from apps.blog.models import Note, NoteQuerySet

UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
#: The latest datetime, less a day for time zones, in microseconds since 1970.
MAX_MICROSECOND = (datetime.max.replace(tzinfo=UTC) - timedelta(days=1) - UNIX_EPOCH) // MICROSECOND


class FeedPosition(NamedTuple):
    """A position in the order of feeds; the later note compares larger."""

    microsecond: int
    note_id: int

    @classmethod
    def for_note(cls, note: Note) -> "FeedPosition":
        """Return the position of a published note."""
        assert note.published_at, "published"
        return cls.at_time(note.published_at, note.pk)

    @classmethod
    def at_time(cls, moment: datetime, note_id: int) -> "FeedPosition":
        """Return the position of a note that was published at that moment."""
        return cls((moment - UNIX_EPOCH) // MICROSECOND, note_id)

    @property
    def moment(self) -> datetime:
        """The time of publication."""
        return UNIX_EPOCH + min(self.microsecond, MAX_MICROSECOND) * MICROSECOND


#: Above every note.
LAST_POSITION = FeedPosition(MAX_MICROSECOND, 0)


def rows_below(rows: NoteQuerySet, before: FeedPosition | None) -> NoteQuerySet:
    """Return the rows below this position; all of them for None."""
    return rows if before is None else rows_below_place(rows, before.moment, before.note_id)


def rows_below_place(rows: NoteQuerySet, moment: datetime, note_id: int) -> NoteQuerySet:
    """Return the rows below the position of a note that was published at that moment."""
    same = Q(published_at=moment, pk__lt=note_id)
    # The first condition follows from the second, but an index can use it.
    return rows.filter(published_at__lte=moment).filter(Q(published_at__lt=moment) | same)


def newest_positions(
    rows: NoteQuerySet, *, before: FeedPosition | None, max_count: int
) -> list[FeedPosition]:
    """Return the positions of the newest of these rows below `before`; one query."""
    found = (
        rows_below(rows, before)
        .order_by("-published_at", "-pk")
        .values_list("published_at", "pk")[:max_count]
    )
    return [FeedPosition.at_time(moment, note_id) for moment, note_id in found if moment]


def sort_newest_first(notes: Iterable[Note]) -> list[Note]:
    """Return the notes in the order of feeds."""
    return sorted(notes, key=FeedPosition.for_note, reverse=True)
