"""Fills inboxes from SQL, at a visit, after a follow and after a loss, and compares them with SQL's rows.

An inbox is no copy as in redis_kit.copies: it holds the newest notes above a floor, writers add to it while
it is being filled, and it may have more than the rows say. It is right if it lacks none above its floor.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
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
from apps.redis_kit.findings import Finding, name_few
from apps.web import batches

#: After a loss, inboxes of people seen in this period are rebuilt at once, all others at the next visit.
ACTIVE_PERIOD = timedelta(days=7)
BATCH_READERS = 500
#: Pause between the two checks of a difference: a follow that was just committed fills the inbox meanwhile.
RECHECK_PAUSE_SECONDS = 0.2
log = logging.getLogger(__name__)


def read_or_fill(reader_id: int, *, before: FeedPosition | None, max_count: int) -> list[FeedPosition] | None:
    """Return the newest `max_count` positions below `before`, or fewer if there are no more.

    Returns None if the inbox can't answer, and the caller must read SQL.
    """
    try:
        inbox = inboxes.read_page(reader_id, before=before, max_count=max_count)
        if inbox.is_filling and fill_from_sql(reader_id, filling_floor=inbox.floor):
            inbox = inboxes.read_page(reader_id, before=before, max_count=max_count)
    except client.UNAVAILABLE:
        return None
    is_short = len(inbox.positions) < max_count
    return None if inbox.is_filling or is_short and inbox.is_cut else inbox.positions


def fill_from_sql(reader_id: int, *, filling_floor: str) -> bool:
    """Add the newest notes of all people a reader follows; returns whether the inbox is filled. One query."""
    positions, newest_omitted = _newest_positions(followed_notes.of_reader(reader_id))
    return inboxes.finish_filling(
        reader_id, positions, filling_floor=filling_floor, newest_omitted=newest_omitted
    )


def add_followed_author(reader_id: int, author_id: int) -> None:
    """Add the newest notes of a just followed author to the reader's inbox; called after the commit."""
    positions, newest_omitted = _newest_positions(Note.objects.published().filter(author=author_id))
    try:
        inboxes.add_notes_of_author(reader_id, positions, newest_omitted=newest_omitted)
    except client.UNAVAILABLE:
        log.warning(
            "Redis is unavailable: notes of %d reach the inbox of %d with the next reconciliation",
            author_id,
            reader_id,
        )


def forget_after_unfollow(reader_id: int, author_id: int) -> None:
    """Delete the inbox after the commit of an unfollow; the next visit fills it again, without this author.

    Removing only that author's notes could overtake a follow that came right after.
    """
    inboxes.forget(reader_id)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the inboxes of people with follows who were seen in ACTIVE_PERIOD; returns their number."""
    seen = AccessToken.objects.live().filter(
        user=OuterRef("pk"), last_seen_at__gte=timezone.now() - ACTIVE_PERIOD
    )
    follows = Follow.objects.filter(follower=OuterRef("pk"))
    readers = User.objects.filter(Exists(seen), Exists(follows))
    done, filled, total = 0, 0, readers.count()
    for reader_ids in batches.iter_pk_chunks(readers, BATCH_READERS):
        inboxes.forget(*reader_ids)
        for reader_id in reader_ids:
            inbox = inboxes.read_page(reader_id, before=None, max_count=1)
            filled += fill_from_sql(reader_id, filling_floor=inbox.floor)
        done += len(reader_ids)
        report(done, max(done, total))
    return filled


def compare(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of people past the id `after`, and what their inboxes lack."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_READERS, after=after):
        yield user_ids[-1], _check_inboxes(inboxes.choose_with_inbox(user_ids), fix=fix)


def _check_inboxes(reader_ids: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    for reader_id in reader_ids:
        missing = _missing_note_ids(reader_id)
        if missing:
            time.sleep(RECHECK_PAUSE_SECONDS)
            missing &= _missing_note_ids(reader_id)
        if missing:
            if fix:
                inboxes.forget(reader_id)
            yield Finding(f"person {reader_id}", "inbox", "", f"notes {name_few(missing)}")


def _newest_positions(rows: NoteQuerySet) -> tuple[list[FeedPosition], int]:
    """Return the positions that fit into an inbox, and the microsecond of the newest one left out, or 0."""
    cap = settings.FEED_INBOX_CAP
    positions = feed_positions.newest_positions(rows, before=None, max_count=cap + 1)
    return positions[:cap], positions[cap].microsecond if len(positions) > cap else 0


def _missing_note_ids(reader_id: int) -> set[int]:
    # SQL is read first: a note that was pushed by then is in the inbox by now.
    rows = followed_notes.of_reader(reader_id).filter(pushed_at__isnull=False)
    pushed = feed_positions.newest_positions(rows, before=None, max_count=settings.FEED_INBOX_CAP)
    inbox = inboxes.read_all(reader_id)
    if inbox is None or inbox.is_filling:
        return set()
    cached = set(inbox.positions)
    above_floor = [position for position in pushed if position.microsecond > float(inbox.floor)]
    return {position.note_id for position in above_floor if position not in cached}
