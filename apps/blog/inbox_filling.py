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
from apps.blog import followed, inboxes, places
from apps.blog.models import Note, NoteQuerySet
from apps.blog.places import Place
from apps.follows import walking
from apps.follows.models import Follow
from apps.redis_kit import client

#: Who was here lately has an inbox again after a loss before they come; the others when they come.
ACTIVE = timedelta(days=7)
BATCH = 500
#: Between two looks at what seems to be missing: a follow that was just committed fills within this time.
PAUSE_SECONDS = 0.2
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Drift:
    """Notes that should be in a reader's inbox and are not."""

    reader_id: int
    missing: list[int]


def read(reader_id: int, *, before: Place | None, most: int) -> list[Place] | None:
    """The first places below another: `most`, or all there are; None when only SQL can tell."""
    try:
        found = inboxes.read(reader_id, before=before, most=most)
        if found.is_filling and fill(reader_id, began=found.floor):
            found = inboxes.read(reader_id, before=before, most=most)
    except client.UNAVAILABLE:
        return None
    short = len(found.places) < most
    return None if found.is_filling or short and found.is_cut else found.places


def fill(reader_id: int, *, began: str) -> bool:
    """Bring the newest notes of everybody a reader follows; one query. Whether the inbox is whole."""
    found, left_out = _newest(followed.notes(reader_id))
    return inboxes.fill(reader_id, found, began=began, left_out=left_out)


def followed_now(reader_id: int, author_id: int) -> None:
    """After the commit of a follow: the author's newest notes come in."""
    found, left_out = _newest(Note.objects.published().filter(author=author_id))
    try:
        inboxes.add(reader_id, found, left_out=left_out)
    except client.UNAVAILABLE:
        log.warning(
            "Redis is away: notes of %d reach the inbox of %d with the next drift", author_id, reader_id
        )


def unfollowed_now(reader_id: int, author_id: int) -> None:
    """After the commit of an unfollow: the inbox is filled again at the next visit, without this author.

    Taking out that author's notes could overtake a follow that came right after.
    """
    inboxes.forget(reader_id)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the inboxes of everybody who follows somebody and was here in the last week; how many."""
    seen = AccessToken.objects.live().filter(user=OuterRef("pk"), last_seen_at__gte=timezone.now() - ACTIVE)
    follows = Follow.objects.filter(follower=OuterRef("pk"))
    readers = User.objects.filter(Exists(seen), Exists(follows))
    done, kept, total = 0, 0, readers.count()
    for some in walking.pks(readers, BATCH):
        inboxes.forget(*some)
        kept += sum(fill(one, began=inboxes.read(one, before=None, most=1).floor) for one in some)
        done += len(some)
        report(done, max(done, total))
    return kept


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Every inbox that lacks a note, looked at twice; with `fix` its next reader fills it anew."""
    for reader_id in inboxes.present(BATCH):
        missing = _missing(reader_id)
        if missing:
            time.sleep(PAUSE_SECONDS)
            missing &= _missing(reader_id)
        if missing:
            if fix:
                inboxes.forget(reader_id)
            yield Drift(reader_id, sorted(missing))


def _newest(rows: NoteQuerySet) -> tuple[list[Place], int]:
    """(as many as an inbox holds, the microsecond of the next one or 0)."""
    cap = settings.FEED_INBOX_CAP
    found = places.newest(rows, before=None, most=cap + 1)
    return found[:cap], found[cap].at if len(found) > cap else 0


def _missing(reader_id: int) -> set[int]:
    # SQL first: what was pushed by then is in the inbox by now.
    rows = followed.notes(reader_id).filter(pushed_at__isnull=False)
    pushed = places.newest(rows, before=None, most=settings.FEED_INBOX_CAP)
    inbox = inboxes.held(reader_id)
    if inbox is None or inbox.is_filling:
        return set()
    held = set(inbox.places)
    return {one.note_id for one in pushed if one.at > float(inbox.floor) and one not in held}
