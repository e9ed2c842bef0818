"""Inboxes from SQL: filled at a reader's visit, at a follow, and after a loss; held against the rows."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.blog.feed import feed_positions, followed_notes, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow
from apps.redis_kit import client
from apps.web import batches

#: Who was here lately has an inbox again after a loss before they come; the others when they come.
ACTIVE_PERIOD = timedelta(days=7)
BATCH_READERS = 500
#: Between two looks at what seems to be missing: a follow that was just committed fills within this time.
RECHECK_PAUSE_SECONDS = 0.2
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Drift:
    """Notes that should be in a reader's inbox and are not."""

    reader_id: int
    missing: list[int]


def read_or_fill(reader_id: int, *, before: FeedPosition | None, most: int) -> list[FeedPosition] | None:
    """The first places below another: `most`, or all there are; None when only SQL can tell."""
    try:
        found = inboxes.read_page(reader_id, before=before, most=most)
        if found.is_filling and fill_from_sql(reader_id, began=found.floor):
            found = inboxes.read_page(reader_id, before=before, most=most)
    except client.UNAVAILABLE:
        return None
    short = len(found.places) < most
    return None if found.is_filling or short and found.is_cut else found.places


def fill_from_sql(reader_id: int, *, began: str) -> bool:
    """Bring the newest notes of everybody a reader follows; one query. Whether the inbox is whole."""
    found, left_out = _newest_positions(followed_notes.of_reader(reader_id))
    return inboxes.finish_filling(reader_id, found, began=began, left_out=left_out)


def add_followed_author(reader_id: int, author_id: int) -> None:
    """After the commit of a follow: the author's newest notes come in."""
    found, left_out = _newest_positions(Note.objects.published().filter(author=author_id))
    try:
        inboxes.add_notes_of_author(reader_id, found, left_out=left_out)
    except client.UNAVAILABLE:
        log.warning(
            "Redis is away: notes of %d reach the inbox of %d with the next drift", author_id, reader_id
        )


def forget_after_unfollow(reader_id: int, author_id: int) -> None:
    """After the commit of an unfollow: the inbox is filled again at the next visit, without this author.

    Taking out that author's notes could overtake a follow that came right after.
    """
    inboxes.forget(reader_id)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the inboxes of everybody who follows somebody and was here in the last week; how many."""
    seen = AccessToken.objects.live().filter(
        user=OuterRef("pk"), last_seen_at__gte=timezone.now() - ACTIVE_PERIOD
    )
    follows = Follow.objects.filter(follower=OuterRef("pk"))
    readers = User.objects.filter(Exists(seen), Exists(follows))
    done, kept, total = 0, 0, readers.count()
    for some in batches.iter_pk_chunks(readers, BATCH_READERS):
        inboxes.forget(*some)
        kept += sum(
            fill_from_sql(one, began=inboxes.read_page(one, before=None, most=1).floor) for one in some
        )
        done += len(some)
        report(done, max(done, total))
    return kept


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Every inbox that lacks a note, looked at twice; with `fix` its next reader fills it anew."""
    for reader_id in inboxes.iter_reader_ids(BATCH_READERS):
        missing = _missing_note_ids(reader_id)
        if missing:
            time.sleep(RECHECK_PAUSE_SECONDS)
            missing &= _missing_note_ids(reader_id)
        if missing:
            if fix:
                inboxes.forget(reader_id)
            yield Drift(reader_id, sorted(missing))


def _newest_positions(rows: NoteQuerySet) -> tuple[list[FeedPosition], int]:
    """(as many as an inbox holds, the microsecond of the next one or 0)."""
    cap = settings.FEED_INBOX_CAP
    found = feed_positions.newest_positions(rows, before=None, most=cap + 1)
    return found[:cap], found[cap].at if len(found) > cap else 0


def _missing_note_ids(reader_id: int) -> set[int]:
    # SQL first: what was pushed by then is in the inbox by now.
    rows = followed_notes.of_reader(reader_id).filter(pushed_at__isnull=False)
    pushed = feed_positions.newest_positions(rows, before=None, most=settings.FEED_INBOX_CAP)
    inbox = inboxes.read_all(reader_id)
    if inbox is None or inbox.is_filling:
        return set()
    held = set(inbox.places)
    return {one.note_id for one in pushed if one.at > float(inbox.floor) and one not in held}
