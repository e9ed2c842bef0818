"""A note's position in feeds: the microsecond of its publication, then its id."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, QuerySet

from apps.accounts.relations import blocks
from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow
from apps.web.compiled_queries import CompiledQuery

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
    """Return the positions of the newest of the given rows below `before`; one query."""
    found = (
        rows_below(rows, before)
        .order_by("-published_at", "-pk")
        .values_list("published_at", "pk")[:max_count]
    )
    return [FeedPosition.at_time(moment, note_id) for moment, note_id in found if moment]


def sort_newest_first(notes: Iterable[Note]) -> list[Note]:
    """Return the notes in the order of feeds."""
    return sorted(notes, key=FeedPosition.for_note, reverse=True)


def of_reader(reader_id: int) -> NoteQuerySet:
    """Return the published notes of all followed authors, without those with a block to the reader.

    A block ends follows after its commit: until then, or for good where a crash came between, it counts here.
    """
    follows = Follow.objects.filter(~blocks.is_apart(reader_id, OuterRef("followee")), follower=reader_id)
    authors = follows.values("followee")
    return Note.objects.published().filter(author__in=authors)


def unpushed_of_reader(reader_id: int) -> NoteQuerySet:
    """Return a reader's followed notes that are in no inbox: still being pushed, or too many followers."""
    return of_reader(reader_id).filter(pushed_at=None)


def newest_unpushed(reader_id: int, *, before: FeedPosition | None, max_count: int) -> list[FeedPosition]:
    """Return the positions of the newest unpushed notes of a reader below `before`; one query."""
    below = before or LAST_POSITION
    rows = _query_unpushed(max_count)(reader_id, below.moment, below.note_id)
    return [FeedPosition.at_time(moment, note_id) for moment, note_id in rows]


def load(reader_id: int, note_ids: Sequence[int]) -> list[Note]:
    """Return the given notes that are a reader's followed notes now, with their times alone."""
    return _query_followed(reader_id, list(note_ids))


@cache
def _query_unpushed(max_count: int) -> CompiledQuery[[int, datetime, int], tuple[Any, ...]]:
    @CompiledQuery
    def query(reader_id: int, moment: datetime, note_id: int) -> QuerySet[Any, tuple[Any, ...]]:
        rows = rows_below_place(unpushed_of_reader(reader_id), moment, note_id)
        return rows.order_by("-published_at", "-pk").values_list("published_at", "pk")[:max_count]

    return query


@CompiledQuery
def _query_followed(reader_id: int, note_ids: list[int]) -> QuerySet[Note]:
    return of_reader(reader_id).filter(pk__in=note_ids).only("published_at")
