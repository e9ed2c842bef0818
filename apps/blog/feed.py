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

from apps.blog import followed, inbox_filling, inboxes, places, tasks
from apps.blog.models import Note
from apps.blog.places import Place
from apps.follows import listeners

PAGE = 20
#: Notes of an inbox that may turn out deleted before a page is short of them.
SPARE = 5
#: More new notes than that are "20+".
MOST_NEW = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Page:
    """Some notes, of which only ids and times are read, and whether there are more."""

    notes: list[Note]
    more: bool


def page(reader_id: int, *, before: Place | None = None, size: int = PAGE) -> Page:
    """`size` notes below a place: one round trip, two queries. None is left out, none comes twice."""
    asked = size + 1 + SPARE
    found = _places(reader_id, before, asked)
    notes = _rows(reader_id, found)
    if len(notes) <= size and len(found) == asked:
        # Too much of the inbox is gone from SQL.
        inboxes.forget(reader_id)
        notes = _rows(reader_id, places.newest(followed.notes(reader_id), before=before, most=size + 1))
    return Page(notes[:size], len(notes) > size)


def new(reader_id: int, *, since: Place) -> int:
    """How many notes there are above a place; MOST_NEW + 1 stands for more."""
    found = _places(reader_id, None, MOST_NEW + 1)
    newer = [place.note_id for place in found if place > since]
    return followed.notes(reader_id).filter(pk__in=newer).count() if newer else 0


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


def register() -> None:
    """Hear of follows."""
    listeners.on_follow(inbox_filling.followed_now)
    listeners.on_unfollow(inbox_filling.unfollowed_now)


def _places(reader_id: int, before: Place | None, most: int) -> list[Place]:
    # In this order: a note that goes from one to the other meanwhile is in both, never in neither.
    unpushed = places.newest(followed.unpushed(reader_id), before=before, most=most)
    inbox = inbox_filling.read(reader_id, before=before, most=most)
    if inbox is None:
        return places.newest(followed.notes(reader_id), before=before, most=most)
    return sorted({*unpushed, *inbox}, reverse=True)[:most]


def _rows(reader_id: int, found: Iterable[Place]) -> list[Note]:
    rows = followed.notes(reader_id).filter(pk__in=[place.note_id for place in found])
    return places.in_order(rows.only("published_at"))
