"""The notes of the people I follow, newest first.

Three sources, one order (blog.places): the reader's inbox in Redis; SQL for notes that did not go through
inboxes; and SQL alone for what lies below an inbox's floor, or when Redis is away. Rows are read last and
only those of people who are followed now are shown: sources may say too much, but never too little.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from celery.exceptions import Retry
from kombu.exceptions import OperationalError

from apps.blog import tasks
from apps.blog.feed import feed_positions, followed_notes, inbox_filling, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows import graph

PAGE_SIZE = 20
#: Notes of an inbox that may turn out deleted before a page is short of them.
SPARE_NOTES = 5
#: More new notes than that are "20+".
MAX_NEW_COUNT = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FeedPage:
    """Some notes, of which only ids and times are read, and whether there are more."""

    notes: list[Note]
    more: bool


def load_page(reader_id: int, *, before: FeedPosition | None = None, size: int = PAGE_SIZE) -> FeedPage:
    """`size` notes below a place: one round trip, two queries. None is left out, none comes twice."""
    asked = size + 1 + SPARE_NOTES
    found = _read_positions(reader_id, before, asked)
    notes = _load_notes(reader_id, found)
    if len(notes) <= size and len(found) == asked:
        # Too much of the inbox is gone from SQL.
        inboxes.forget(reader_id)
        notes = _load_notes(
            reader_id,
            feed_positions.newest_positions(
                followed_notes.of_reader(reader_id), before=before, most=size + 1
            ),
        )
    return FeedPage(notes[:size], len(notes) > size)


def count_new(reader_id: int, *, since: FeedPosition) -> int:
    """How many notes there are above a place; MOST_NEW + 1 stands for more."""
    found = _read_positions(reader_id, None, MAX_NEW_COUNT + 1)
    newer = [place.note_id for place in found if place > since]
    return followed_notes.of_reader(reader_id).filter(pk__in=newer).count() if newer else 0


def announce(note_id: int) -> None:
    """Bring a note that was just published to its author's followers; called after the commit."""
    try:
        tasks.fan_out.apply_async((note_id,), retry=False)
    except (OperationalError, Retry):
        # Retry: the task ran in this process, without Redis.
        log.warning("note %d is on its way to the inboxes with the next sweep", note_id)


def withdraw(note_id: int) -> None:
    """A note was deleted: feeds show it no more. Should it come back, it begins its way anew."""
    Note.objects.filter(pk=note_id).update(pushed_at=None)


def register_listeners() -> None:
    """Hear of follows."""
    graph.FOLLOW_STARTED.register(inbox_filling.add_followed_author)
    graph.FOLLOW_ENDED.register(inbox_filling.forget_after_unfollow)


def _read_positions(reader_id: int, before: FeedPosition | None, most: int) -> list[FeedPosition]:
    # In this order: a note that goes from one to the other meanwhile is in both, never in neither.
    unpushed = feed_positions.newest_positions(
        followed_notes.unpushed_of_reader(reader_id), before=before, most=most
    )
    inbox = inbox_filling.read_or_fill(reader_id, before=before, most=most)
    if inbox is None:
        return feed_positions.newest_positions(followed_notes.of_reader(reader_id), before=before, most=most)
    return sorted({*unpushed, *inbox}, reverse=True)[:most]


def _load_notes(reader_id: int, found: Iterable[FeedPosition]) -> list[Note]:
    rows = followed_notes.of_reader(reader_id).filter(pk__in=[place.note_id for place in found])
    return feed_positions.sort_newest_first(rows.only("published_at"))
