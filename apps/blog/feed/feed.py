"""A reader's feed: the notes of the people they follow, the newest first.

Positions come from three sources: the reader's inbox in Redis; SQL for notes that are not written to inboxes;
and SQL alone for notes below an inbox's floor, or without Redis. Rows are read last, and only those of people
who are followed now are shown. A source may therefore name too many notes, but never too few.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from annotated_types import Ge, Le
from celery.exceptions import Retry
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError
from ninja import Schema
from pydantic import Field, ValidationError

from apps.blog.feed import fan_out, feed_positions, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.web import paging
from apps.web.problems import EmptyAsNone, PlainDigits, Problem
from apps.web.problems.ids import MAX_ROW_ID

PAGE_SIZE = 20
#: Deleted notes in an inbox that a page can skip before it must read SQL.
SPARE_NOTES = 5
#: More new notes than this are shown as "20+".
MAX_NEW_COUNT = 20

log = logging.getLogger(__name__)

CURSOR_KIND = "feed"


@dataclass(frozen=True)
class FeedPage:
    """A page of notes with only ids and times loaded, and whether more follow."""

    notes: list[Note]
    has_more: bool


def load_page(reader_id: int, *, before: FeedPosition | None = None, size: int = PAGE_SIZE) -> FeedPage:
    """Return the `size` notes below a position, without gaps or repetitions; one round trip, two queries."""
    limit = size + 1 + SPARE_NOTES
    positions = _read_positions(reader_id, before, limit)
    notes = _load_notes(reader_id, positions)
    if len(notes) <= size and len(positions) == limit:
        # Too many notes of the inbox are deleted in SQL.
        inboxes.forget(reader_id)
        notes = _load_notes(
            reader_id,
            feed_positions.newest_positions(
                feed_positions.of_reader(reader_id), before=before, max_count=size + 1
            ),
        )
    return FeedPage(notes[:size], len(notes) > size)


def count_new(reader_id: int, *, since: FeedPosition) -> int:
    """Return the number of notes above a position, at most MAX_NEW_COUNT + 1."""
    positions = _read_positions(reader_id, None, MAX_NEW_COUNT + 1)
    newer = [position.note_id for position in positions if position > since]
    return feed_positions.of_reader(reader_id).filter(pk__in=newer).count() if newer else 0


def announce(note_id: int) -> bool:
    """Start writing a just published note to its author's followers; called after the commit.

    False when the broker is away.
    """
    try:
        fan_out.fan_out.apply_async((note_id,), retry=False)
    except (OperationalError, Retry):
        # Retry means that the task ran in this process, and Redis was unavailable.
        log.warning("note %d goes to the inboxes later: the broker is away", note_id)
        return False
    return True


def withdraw(note_id: int) -> None:
    """Mark a deleted note as not pushed, so that it is pushed again if it is restored."""
    Note.objects.filter(pk=note_id).update(pushed_at=None)


def _read_positions(reader_id: int, before: FeedPosition | None, max_count: int) -> list[FeedPosition]:
    # SQL is read before the inbox: a note that is pushed meanwhile is then in both, never in neither.
    unpushed = feed_positions.newest_unpushed(reader_id, before=before, max_count=max_count)
    inbox = inboxes.read_or_fill(reader_id, before=before, max_count=max_count)
    if inbox is None:
        return feed_positions.newest_positions(
            feed_positions.of_reader(reader_id), before=before, max_count=max_count
        )
    return sorted({*unpushed, *inbox}, reverse=True)[:max_count]


def _load_notes(reader_id: int, positions: Iterable[FeedPosition]) -> list[Note]:
    note_ids = [position.note_id for position in positions]
    return feed_positions.sort_newest_first(feed_positions.load(reader_id, note_ids))


CursorNumber = Annotated[Annotated[int, Ge(0), Le(MAX_ROW_ID), PlainDigits] | None, EmptyAsNone()]


class FeedIn(Schema):
    """`max` and `offset` of the page before; neither for the newest notes."""

    max: Annotated[CursorNumber, Field(description="microsecond (since 1970) of the last note shown")] = None
    offset: Annotated[
        CursorNumber,
        Field(description="how far one came among the notes of that microsecond: the last one's id"),
    ] = None

    def position(self) -> FeedPosition | None:
        """Return the position below which the page starts, or None for the newest notes.

        Raises Problem 422 for an offset without max.
        """
        if self.max is None:
            if self.offset:
                raise _bad_position()
            return None
        # Without an offset no note of that microsecond was shown.
        return FeedPosition(self.max, self.offset) if self.offset else FeedPosition(self.max + 1, 0)


def read_position(cursor: str, old: FeedIn) -> FeedPosition | None:
    """Return the position that a request names by its cursor, or by `max` and `offset`; BadCursor."""
    if not cursor:
        return old.position()
    if old.max is not None or old.offset is not None:
        raise paging.two_positions("max", "offset")
    microsecond, note_id = paging.decode(cursor, [int, int], kind=CURSOR_KIND)
    return FeedPosition(int(microsecond), int(note_id))


def encode(position: FeedPosition) -> str:
    """Return the cursor of the page below a position."""
    return paging.encode(*position, kind=CURSOR_KIND)


def parse(query: Mapping[str, Any]) -> FeedPosition | None:
    """Return the position in a page's query parameters; Problem 422 if they are invalid."""
    try:
        return FeedIn(max=query.get("max", ""), offset=query.get("offset", "")).position()
    except ValidationError as error:
        raise _bad_position() from error


def to_query(position: FeedPosition) -> str:
    """Return the position as query parameters of a page's URL."""
    return urlencode({"max": position.microsecond, "offset": position.note_id})


def _bad_position() -> Problem:
    return Problem(
        422, "invalid", _("This position in the feed is not valid. Start again from the top."), field="max"
    )
