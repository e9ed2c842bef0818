"""Copies in Redis of a person's mailbox, which each change deletes; SQL answers where a copy is missing.

- BROADCASTS, one for everybody: readers merge them into their list, so that none is written for each person.
- HEADS: how many notifications a person has not read, and what decides which broadcasts are theirs.
- NEWEST: the newest 100 notifications of a person, filled by the reader who looks at the list.
"""

import json
import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet
from django.utils import timezone

from apps.front.live import publishing
from apps.front.live.topics import person_topic
from apps.mailbox import keys, people
from apps.mailbox.models import Broadcast, Notification, Preferences
from apps.mailbox.notices import Delivery, Kind, choose_delivery
from apps.redis_kit import client, copies, scripts, transport
from apps.redis_kit.transport import Command
from apps.web import batches

RETENTION = timedelta(days=90)
#: Those of 90 days that readers merge: the site doesn't write more than one a day.
MAX_MERGED = 100
#: The one owner of the copy.
EVERYBODY = 0

#: People whose heads a rebuild fills in one batch.
BATCH_PEOPLE = 500
MAX_NEWEST = 100
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
#: The name of the event on a person's live stream.
EVENT = "mailbox"
log = logging.getLogger(__name__)


class Announcement(NamedTuple):
    """What decides whose a broadcast is; `sent_at` is in unix seconds, `city` "" for everybody."""

    broadcast_id: int
    sent_at: float
    city: str


class Reader(NamedTuple):
    """What decides which broadcasts a person has, and which of them are read."""

    joined_at: float
    city: str
    read_to: int
    wants_broadcasts: bool

    def may_read(self, found: Announcement) -> bool:
        """Whether the broadcast is for this person."""
        is_addressed = found.city in ("", self.city) and found.sent_at >= self.joined_at
        return self.wants_broadcasts and is_addressed

    def count_unread(self, announcements: Sequence[Announcement]) -> int:
        """How many of the given broadcasts the person has and has not read."""
        return sum(found.broadcast_id > self.read_to and self.may_read(found) for found in announcements)


def _read_announcements() -> list[Announcement]:
    city_key = people.directory().city_key
    rows = Broadcast.objects.merged_at_read().filter(sent_at__gt=timezone.now() - RETENTION)
    return [
        Announcement(pk, sent_at.timestamp() if sent_at else 0, city_key(city))
        for pk, sent_at, city in rows.order_by("-pk").values_list("pk", "sent_at", "city")[:MAX_MERGED]
    ]


@lru_cache(maxsize=2 * MAX_MERGED)
def _decode_announcement(text: str) -> Announcement:
    return Announcement(*json.loads(text))


class Broadcasts(copies.LeasedList[Announcement]):
    """The broadcasts of the last 90 days, the newest first."""

    def _read_copies(self, owners: Collection[int]) -> dict[int, list[Announcement]]:
        # Those that have grown too old since they were copied are no difference.
        since = (timezone.now() - RETENTION).timestamp()
        copied = super()._read_copies(owners)
        return {owner: [one for one in found if one.sent_at > since] for owner, found in copied.items()}


BROADCASTS = Broadcasts(
    keys.BROADCASTS,
    keys.BROADCASTS_LEASE,
    query=lambda owners: dict.fromkeys(owners, _read_announcements()),
    expiry=timedelta(days=7),
    finding=("everybody", "broadcasts"),
    decode=_decode_announcement,
)


def read_broadcasts() -> list[Announcement]:
    """The broadcasts of the last 90 days, the newest first; one round trip."""
    return BROADCASTS.read(EVERYBODY)


class Head(NamedTuple):
    """A person's number of unread rows, and what decides which broadcasts are theirs."""

    unread_rows: int
    reader: Reader


#: Of somebody who is no active person.
NOBODY = Head(0, Reader(0, "", 0, wants_broadcasts=False))


def unread_commands(user_ids: Sequence[int]) -> list[Command]:
    """The commands whose replies `parse` reads: one for all, then one for each person."""
    return [BROADCASTS.command(EVERYBODY), *map(HEADS.command, user_ids)]


def parse_unread(replies: Sequence[Any]) -> list[int | None]:
    """Each person's number of unread notifications; None where SQL has to count."""
    announcements = BROADCASTS.parse(replies[0])
    if announcements is None:
        return [None] * (len(replies) - 1)
    heads = map(HEADS.parse, replies[1:])
    return [head and _count_with_broadcasts(head, announcements) for head in heads]


def load_unread(user_ids: Collection[int]) -> dict[int, int]:
    """{user id: number of unread notifications} from SQL, which are then copied to Redis."""
    announcements = read_broadcasts()
    return {
        user_id: _count_with_broadcasts(head, announcements) for user_id, head in HEADS.load(user_ids).items()
    }


def count_unread(user_id: int) -> int:
    """A person's number of unread notifications; one round trip, and SQL where Redis doesn't know."""
    try:
        (found,) = parse_unread(transport.execute_many(client.get(), unread_commands([user_id])))
    except client.UNAVAILABLE:
        found = None
    return load_unread([user_id])[user_id] if found is None else found


def heads_from_sql(user_ids: Collection[int]) -> dict[int, Head]:
    """{user id: head} as SQL has them now; three queries for any number of people."""
    found = people.directory().load(user_ids)
    rows = Notification.objects.unread().filter(recipient__in=user_ids).order_by().values("recipient")
    counts = dict(rows.annotate(rows=Count("pk")).values_list("recipient", "rows"))
    chosen = Preferences.objects.in_bulk(user_ids)
    return {
        user_id: Head(counts.get(user_id, 0), _build_reader(found[user_id], chosen.get(user_id)))
        if user_id in found
        else NOBODY
        for user_id in user_ids
    }


def _count_with_broadcasts(head: Head, announcements: Sequence[Announcement]) -> int:
    return head.unread_rows + head.reader.count_unread(announcements)


def _build_reader(person: people.Person, row: Preferences | None) -> Reader:
    wants = choose_delivery(row.deliveries if row else None, Kind.SITE) != Delivery.OFF
    read_to = row.broadcast_read_to if row else 0
    return Reader(person.joined_at.timestamp(), person.city, read_to, wants)


def _decode_head(text: str) -> Head:
    unread_rows, reader = json.loads(text)
    return Head(unread_rows, Reader(*reader))


class Heads(copies.LeasedValue[Head]):
    """The head of each person."""

    def name_value(self, value: Head) -> str:
        return str(value.unread_rows)


HEADS = Heads(
    keys.HEAD,
    keys.HEAD_LEASE,
    query=heads_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "unread"),
    owners=lambda: batches.counted_chunks(Notification.objects.all(), BATCH_PEOPLE, column="recipient"),
    decode=_decode_head,
)


class Entry(NamedTuple):
    """One line of a person's list: a notification, or a broadcast, whose `number` is negative.

    `at` is in microseconds since 1970; `recent_actors` are ids, the latest first.
    """

    at: int
    number: int
    kind: str
    target_kind: str
    target_id: int
    text: str
    actor_count: int
    recent_actors: tuple[int, ...]
    is_unread: bool

    @property
    def position(self) -> tuple[int, int]:
        """Its place in the list: the greater, the nearer to the top."""
        return self.at, self.number

    @property
    def moment(self) -> datetime:
        """When the last of it happened."""
        return to_time(self.at)


def newest_from_sql(user_ids: Collection[int]) -> dict[int, list[Entry]]:
    """{user id: newest notifications} as SQL has them; a query for each person."""
    rows = Notification.objects.all()
    return {user_id: read_entries(rows.filter(recipient=user_id), MAX_NEWEST) for user_id in user_ids}


def read_entries(rows: QuerySet[Notification], most: int) -> list[Entry]:
    """The newest of the given rows; one query."""
    columns = ("pk", "kind", "target_kind", "target_id", "text", "actor_count")
    found = rows.order_by("-latest_at", "-pk").values_list(*columns, "recent_actors", "latest_at", "read_to")
    return [
        Entry._make((to_microseconds(at), *values, _split(actors), read_to < at))
        for *values, actors, at, read_to in found[:most]
    ]


def to_microseconds(at: datetime) -> int:
    """A time as microseconds since 1970."""
    return (at - EPOCH) // MICROSECOND


def to_time(microseconds: int) -> datetime:
    """The time of so many microseconds since 1970."""
    return EPOCH + microseconds * MICROSECOND


def _decode_entry(element: str) -> Entry:
    at, number, kind, target_kind, target_id, text, count, actors, is_unread = json.loads(element)
    return Entry(at, number, kind, target_kind, target_id, text, count, tuple(actors), is_unread)


def _split(actors: str) -> tuple[int, ...]:
    return tuple(int(actor) for actor in actors.split(",") if actor)


NEWEST = copies.LeasedList(
    keys.NEWEST,
    keys.NEWEST_LEASE,
    query=newest_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "newest"),
    decode=_decode_entry,
)


def publish(user_ids: Collection[int], kind: str = "", *, also: Sequence[Command] = ()) -> None:
    """Delete these people's copies and tell their open pages, after the commit; one round trip with `also`.

    Never raises when Redis is away.
    """
    deletions = [("DEL", *HEADS.keys(user_id), *NEWEST.keys(user_id)) for user_id in user_ids]
    try:
        publishing.PUBLISH_EVENT.call_many(
            client.get(), _build_events(user_ids, kind), also=[*deletions, *also]
        )
    except client.UNAVAILABLE:
        log.warning("the copied mailboxes of %d people may be outdated: Redis is away", len(user_ids))


def _build_events(user_ids: Collection[int], kind: str) -> list[scripts.Call]:
    """An event names the kind alone: pages ask for the number, in which broadcasts count too."""
    data = publishing.encode({"kind": kind})
    return [publishing.build_call(person_topic(user_id), EVENT, data) for user_id in user_ids]
