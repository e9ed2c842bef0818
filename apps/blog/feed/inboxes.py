"""Inboxes in Redis: the newest notes of a reader's feed, one sorted set for each reader who visits.

An inbox has every note above its floor; below it, SQL is read. An inbox may thus be cut, and may contain
too many notes (deleted ones, authors no longer followed: skipped when rows are read), but never too few. A
missing inbox starts with a negative floor. From then on it takes published notes, and only then SQL is read
for the rest, so each note is in the rows or arrives by fan-out. A filling may end only if it is the one
that began: otherwise its rows are outdated and refused.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.blog import keys
from apps.blog.feed import feed_positions
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow
from apps.redis_kit import client, scripts, transport
from apps.redis_kit.findings import Finding, name_few
from apps.web import batches

#: Inboxes of a shard share a cluster slot, so that one call writes to many; shards spread over the cluster.
SHARD_COUNT = 16
FLOOR_MEMBER = "floor"
UNREAD_TTL = timedelta(days=30)
#: A filling that takes longer is abandoned, and SQL serves the reader.
FILL_TTL = timedelta(minutes=1)

log = logging.getLogger(__name__)

ADD_NOTES = scripts.Script("add_notes", package="apps.blog.feed", reply=int)
#: After a loss, inboxes of people seen in this period are rebuilt at once, all others at the next visit.
ACTIVE_PERIOD = timedelta(days=7)
BATCH_READERS = 500
#: Pause between the two checks of a difference: a follow that was just committed fills the inbox meanwhile.
RECHECK_PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Inbox:
    """An inbox as it was read: its floor as text, and its positions, the newest first.

    It has no positions while it is being filled.
    """

    floor: str
    positions: list[FeedPosition]

    @property
    def is_filling(self) -> bool:
        """Whether the inbox is being filled from SQL."""
        return self.floor.startswith("-")

    @property
    def is_cut(self) -> bool:
        """Whether older notes are in SQL only, since the inbox was cut."""
        return float(self.floor) > 0


def _parse_inbox(raw: Sequence[Any]) -> Inbox:
    floor, *pairs = raw
    positions = [FeedPosition(int(at), int(note)) for note, at in zip(pairs[::2], pairs[1::2], strict=True)]
    return Inbox(floor, positions)


READ_INBOX = scripts.Script("read_inbox", package="apps.blog.feed", reply=_parse_inbox)


def read_page(reader_id: int, *, before: FeedPosition | None, max_count: int) -> Inbox:
    """Return the newest positions below `before`; creates a missing inbox, to be filled. UNAVAILABLE."""
    args = [
        before.microsecond if before else "+inf",
        max_count,
        _to_seconds(UNREAD_TTL),
        _to_seconds(FILL_TTL),
    ]
    inbox = READ_INBOX(client.get(), keys=[_inbox_key(reader_id)], args=args)
    below = [position for position in inbox.positions if before is None or position < before]
    return Inbox(inbox.floor, below[:max_count])


def push_note(reader_ids: Iterable[int], position: FeedPosition) -> int:
    """Add a note to the given readers' inboxes that exist; returns their number. Safe to repeat."""
    by_shard = defaultdict(list)
    for reader_id in reader_ids:
        by_shard[reader_id % SHARD_COUNT].append(_inbox_key(reader_id))
    calls = [(inbox_keys, _add_notes_args([position])) for inbox_keys in by_shard.values()]
    return sum(ADD_NOTES.call_many(client.get(), calls)[0])


def add_notes_of_author(
    reader_id: int, positions: Sequence[FeedPosition], *, newest_omitted: int = 0
) -> None:
    """Add an author's notes after the microsecond `newest_omitted`, if the reader has an inbox."""
    ADD_NOTES(
        client.get(),
        keys=[_inbox_key(reader_id)],
        args=_add_notes_args(positions, newest_omitted=newest_omitted),
    )


def finish_filling(
    reader_id: int, positions: Sequence[FeedPosition], *, filling_floor: str, newest_omitted: int = 0
) -> bool:
    """Add the rows that end the filling which began with that floor; returns whether it succeeded.

    Returns False, and adds nothing, if another filling has replaced it: the rows are outdated.
    """
    args = _add_notes_args(positions, newest_omitted=newest_omitted, filling_floor=filling_floor)
    return bool(ADD_NOTES(client.get(), keys=[_inbox_key(reader_id)], args=args))


def forget(*reader_ids: int) -> None:
    """Delete inboxes, which the next visit fills again; without Redis they stay, with a warning."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for reader_id in reader_ids:
                pipe.delete(_inbox_key(reader_id))
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: %d inboxes are not deleted", len(reader_ids))


def read_all(reader_id: int) -> Inbox | None:
    """Return a whole inbox, or None if it is missing; does not renew its expiry."""
    found = client.get().zrange(_inbox_key(reader_id), 0, -1, desc=True, withscores=True)
    pairs = cast("list[tuple[str, float]]", found)
    floor = next((f"{at:.0f}" for member, at in pairs if member == FLOOR_MEMBER), None)
    positions = [FeedPosition(int(at), int(member)) for member, at in pairs if member != FLOOR_MEMBER]
    return Inbox(floor, positions) if floor else None


def choose_with_inbox(reader_ids: Sequence[int]) -> list[int]:
    """The given readers who have an inbox; one round trip."""
    exist = transport.execute_many(client.get(), [("EXISTS", _inbox_key(reader)) for reader in reader_ids])
    return [reader for reader, is_there in zip(reader_ids, exist, strict=True) if is_there]


def _add_notes_args(
    positions: Sequence[FeedPosition], *, newest_omitted: int = 0, filling_floor: str = ""
) -> list[scripts.Arg]:
    pairs = [part for position in positions for part in _score_and_member(position)]
    return [settings.FEED_INBOX_CAP, filling_floor, newest_omitted, _to_seconds(UNREAD_TTL), *pairs]


def _score_and_member(position: FeedPosition) -> tuple[int, str]:
    return position.microsecond, f"{position.note_id:019d}"


def _inbox_key(reader_id: int) -> str:
    return keys.FEED_INBOX(shard=reader_id % SHARD_COUNT, reader=reader_id)


def _to_seconds(period: timedelta) -> int:
    return int(period.total_seconds())


def read_or_fill(reader_id: int, *, before: FeedPosition | None, max_count: int) -> list[FeedPosition] | None:
    """Return the newest `max_count` positions below `before`, or fewer if there are no more.

    Returns None if the inbox can't answer, and the caller must read SQL.
    """
    try:
        inbox = read_page(reader_id, before=before, max_count=max_count)
        if inbox.is_filling and fill_from_sql(reader_id, filling_floor=inbox.floor):
            inbox = read_page(reader_id, before=before, max_count=max_count)
    except client.UNAVAILABLE:
        return None
    is_short = len(inbox.positions) < max_count
    return None if inbox.is_filling or is_short and inbox.is_cut else inbox.positions


def fill_from_sql(reader_id: int, *, filling_floor: str) -> bool:
    """Add the newest notes of all people a reader follows; returns whether the inbox is filled. One query."""
    positions, newest_omitted = _newest_positions(feed_positions.of_reader(reader_id))
    return finish_filling(reader_id, positions, filling_floor=filling_floor, newest_omitted=newest_omitted)


def add_followed_author(reader_id: int, author_id: int) -> None:
    """Add the newest notes of a just followed author to the reader's inbox; called after the commit."""
    positions, newest_omitted = _newest_positions(Note.objects.published().filter(author=author_id))
    try:
        add_notes_of_author(reader_id, positions, newest_omitted=newest_omitted)
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
    forget(reader_id)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the inboxes of people with follows who were seen in ACTIVE_PERIOD; returns their number."""
    seen = AccessToken.objects.live().filter(
        user=OuterRef("pk"), last_seen_at__gte=timezone.now() - ACTIVE_PERIOD
    )
    follows = Follow.objects.filter(follower=OuterRef("pk"))
    readers = User.objects.filter(Exists(seen), Exists(follows))
    done, filled, total = 0, 0, readers.count()
    for reader_ids in batches.iter_pk_chunks(readers, BATCH_READERS):
        forget(*reader_ids)
        for reader_id in reader_ids:
            inbox = read_page(reader_id, before=None, max_count=1)
            filled += fill_from_sql(reader_id, filling_floor=inbox.floor)
        done += len(reader_ids)
        report(done, max(done, total))
    return filled


def compare(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of people past the id `after`, and what their inboxes lack."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_READERS, after=after):
        yield user_ids[-1], _check_inboxes(choose_with_inbox(user_ids), fix=fix)


def _check_inboxes(reader_ids: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    for reader_id in reader_ids:
        missing = _missing_note_ids(reader_id)
        if missing:
            time.sleep(RECHECK_PAUSE_SECONDS)
            missing &= _missing_note_ids(reader_id)
        if missing:
            if fix:
                forget(reader_id)
            yield Finding(f"person {reader_id}", "inbox", "", f"notes {name_few(missing)}")


def _newest_positions(rows: NoteQuerySet) -> tuple[list[FeedPosition], int]:
    """Return the positions that fit into an inbox, and the microsecond of the newest one left out, or 0."""
    cap = settings.FEED_INBOX_CAP
    positions = feed_positions.newest_positions(rows, before=None, max_count=cap + 1)
    return positions[:cap], positions[cap].microsecond if len(positions) > cap else 0


def _missing_note_ids(reader_id: int) -> set[int]:
    # SQL is read first: a note that was pushed by then is in the inbox by now.
    rows = feed_positions.of_reader(reader_id).filter(pushed_at__isnull=False)
    pushed = feed_positions.newest_positions(rows, before=None, max_count=settings.FEED_INBOX_CAP)
    inbox = read_all(reader_id)
    if inbox is None or inbox.is_filling:
        return set()
    cached = set(inbox.positions)
    above_floor = [position for position in pushed if position.microsecond > float(inbox.floor)]
    return {position.note_id for position in above_floor if position not in cached}
