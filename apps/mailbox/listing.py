"""Pages of a person's notifications, rows and broadcasts merged, the newest first; marks them as read.

The newest 100 rows come from Redis in the round trip that also brings the broadcasts; older ones, and those
of a filter, come from SQL.
"""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q, QuerySet

from apps.mailbox import copies
from apps.mailbox.copies import BROADCASTS, EVERYBODY, HEADS, NEWEST, Announcement, Entry, Reader
from apps.mailbox.models import Notification, Preferences
from apps.mailbox.notices import Kind
from apps.queues import owed
from apps.redis_kit import client, transport
from apps.web import paging

PAGE_SIZE = paging.PAGE_SIZE
CURSOR_KIND = "mailbox"
BROADCAST = "broadcast"


class Show(StrEnum):
    """What part of the list a person wants to see."""

    ALL = "all"
    UNREAD = "unread"
    LIKES = "likes"
    COMMENTS = "comments"
    FOLLOWERS = "followers"
    ORDERS = "orders"
    SITE = "site"


KINDS_BY_SHOW = {
    Show.LIKES: {Kind.LIKE},
    Show.COMMENTS: {Kind.COMMENT, Kind.REPLY, Kind.MENTION, Kind.CHAT},
    Show.FOLLOWERS: {Kind.FOLLOW},
    Show.ORDERS: {Kind.ORDER, Kind.SALE, Kind.REFUND},
    Show.SITE: {Kind.SITE},
}


class EntryPage(NamedTuple):
    """A page of a person's list, the cursor of the next one (None after the last), and all that is unread."""

    entries: list[Entry]
    next: str | None
    unread: int


class _Mailbox(NamedTuple):
    """What one round trip brings of a mailbox; None: Redis doesn't have it."""

    head: copies.Head | None
    announcements: list[Announcement] | None
    newest: list[Entry] | None


def parse_show(text: str) -> Show:
    """The part of that name; an unknown one means all."""
    return Show(text) if text in list(Show) else Show.ALL


def fetch_page(
    user_id: int, cursor: str | None = None, show: Show = Show.ALL, *, size: int = PAGE_SIZE
) -> EntryPage:
    """One page of a person's list; BadCursor."""
    before = _decode_cursor(cursor)
    mailbox = _read(user_id)
    head = mailbox.head or HEADS.load([user_id])[user_id]
    announcements = mailbox.announcements
    if announcements is None:
        announcements = BROADCASTS.load([EVERYBODY])[EVERYBODY]
    rows = _find_rows(user_id, mailbox.newest, before, show, size)
    merged = sorted(
        [*rows, *_find_broadcasts(head.reader, announcements, before, show)],
        key=lambda entry: entry.position,
        reverse=True,
    )
    page = merged[:size]
    following = paging.encode(*page[-1].position, kind=CURSOR_KIND) if len(merged) > size else None
    return EntryPage(page, following, head.unread_rows + head.reader.count_unread(announcements))


def _decode_cursor(cursor: str | None) -> tuple[int, int] | None:
    if not cursor:
        return None
    at, number = paging.decode(cursor, [int, int], kind=CURSOR_KIND)
    return int(at), int(number)


def _read(user_id: int) -> _Mailbox:
    commands = [*copies.unread_commands([user_id]), NEWEST.command(user_id)]
    try:
        announcements, head, entries = transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        return _Mailbox(None, None, None)
    return _Mailbox(HEADS.parse(head), BROADCASTS.parse(announcements), NEWEST.parse(entries))


def _find_rows(
    user_id: int, copied: list[Entry] | None, before: tuple[int, int] | None, show: Show, size: int
) -> Sequence[Entry]:
    """At least a page's rows and one, where there are so many."""
    if show is Show.ALL:
        entries = NEWEST.load([user_id])[user_id] if copied is None else copied
        after = [entry for entry in entries if before is None or entry.position < before]
        if len(after) > size or len(entries) < copies.MAX_NEWEST:
            return after
    return copies.read_entries(_filter_rows(user_id, before, show), size + 1)


def _filter_rows(user_id: int, before: tuple[int, int] | None, show: Show) -> QuerySet[Notification]:
    rows = Notification.objects.filter(recipient=user_id)
    if show is Show.UNREAD:
        rows = rows.unread()
    if show in KINDS_BY_SHOW:
        rows = rows.filter(kind__in=KINDS_BY_SHOW[show])
    if before is not None:
        at = copies.to_time(before[0])
        rows = rows.filter(Q(latest_at__lt=at) | Q(latest_at=at, pk__lt=before[1]))
    return rows


def _find_broadcasts(
    reader: Reader, announcements: Iterable[Announcement], before: tuple[int, int] | None, show: Show
) -> list[Entry]:
    if show not in (Show.ALL, Show.UNREAD, Show.SITE):
        return []
    entries = [_build_entry(found, reader) for found in announcements if reader.may_read(found)]
    return [
        entry
        for entry in entries
        if (before is None or entry.position < before) and (entry.is_unread or show is not Show.UNREAD)
    ]


def _build_entry(found: Announcement, reader: Reader) -> Entry:
    """The line of a broadcast: its number is negative, for no row of a person has its id."""
    at, is_unread = round(found.sent_at * 1_000_000), found.broadcast_id > reader.read_to
    number = -found.broadcast_id
    return Entry(at, number, Kind.SITE, BROADCAST, found.broadcast_id, "", 0, (), is_unread)


def mark_read(user_id: int, ids: Collection[int] = (), *, broadcasts_to: int = 0) -> None:
    """Mark these notifications of a person as read, and the broadcasts up to that one.

    Ids of other people's notifications change nothing.
    """
    broadcasts_to = min(broadcasts_to, _newest_broadcast_id()) if broadcasts_to else 0
    rows = Notification.objects.filter(recipient=user_id, pk__in=ids)
    with transaction.atomic():
        _mark(user_id, rows.unread().update(read_to=F("latest_at")) if ids else 0, broadcasts_to)


def mark_all_read(user_id: int) -> None:
    """Mark everything that a person has as read; what comes in the same moment stays unread."""
    broadcasts_to = _newest_broadcast_id()
    with transaction.atomic():
        marked = Notification.objects.filter(recipient=user_id).unread().update(read_to=F("latest_at"))
        _mark(user_id, marked, broadcasts_to)


def _mark(user_id: int, marked: int, broadcasts_to: int) -> None:
    if broadcasts_to:
        Preferences.objects.get_or_create(pk=user_id)
        rows = Preferences.objects.filter(pk=user_id, broadcast_read_to__lt=broadcasts_to)
        marked += rows.update(broadcast_read_to=broadcasts_to)
    if marked:
        owed.run_after_commit(copies.publish, [user_id])


def _newest_broadcast_id() -> int:
    found = copies.read_broadcasts()
    return found[0].broadcast_id if found else 0
