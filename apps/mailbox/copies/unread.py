"""How many notifications a person has not read: a number in Redis, beside what decides on broadcasts."""

import json
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Count

from apps.mailbox import keys, people, preferences
from apps.mailbox.copies import merging
from apps.mailbox.copies.merging import Reader
from apps.mailbox.kinds import Delivery, Kind
from apps.mailbox.models import Notification, Preferences
from apps.redis_kit import client, copies, transport
from apps.redis_kit.transport import Command
from apps.web import batches

#: People whose heads a rebuild fills in one batch.
BATCH_PEOPLE = 500


class Head(NamedTuple):
    """A person's number of unread rows, and what decides which broadcasts are theirs."""

    unread_rows: int
    reader: Reader


#: Of somebody who is no active person.
NOBODY = Head(0, Reader(0, "", 0, wants_broadcasts=False))


def commands(user_ids: Sequence[int]) -> list[Command]:
    """The commands whose replies `parse` reads: one for all, then one for each person."""
    return [merging.BROADCASTS.command(merging.EVERYBODY), *map(HEADS.command, user_ids)]


def parse(replies: Sequence[Any]) -> list[int | None]:
    """Each person's number of unread notifications; None where SQL has to count."""
    announcements = merging.BROADCASTS.parse(replies[0])
    if announcements is None:
        return [None] * (len(replies) - 1)
    heads = map(HEADS.parse, replies[1:])
    return [head and _count(head, announcements) for head in heads]


def load(user_ids: Collection[int]) -> dict[int, int]:
    """{user id: number of unread notifications} from SQL, which are then copied to Redis."""
    announcements = merging.read()
    return {user_id: _count(head, announcements) for user_id, head in HEADS.load(user_ids).items()}


def count(user_id: int) -> int:
    """A person's number of unread notifications; one round trip, and SQL where Redis doesn't know."""
    try:
        (found,) = parse(transport.execute_many(client.get(), commands([user_id])))
    except client.UNAVAILABLE:
        found = None
    return load([user_id])[user_id] if found is None else found


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


def _count(head: Head, announcements: Sequence[merging.Announcement]) -> int:
    return head.unread_rows + head.reader.count_unread(announcements)


def _build_reader(person: people.Person, row: Preferences | None) -> Reader:
    wants = preferences.choose_delivery(row.deliveries if row else None, Kind.SITE) != Delivery.OFF
    read_to = row.broadcast_read_to if row else 0
    return Reader(person.joined_at.timestamp(), person.city, read_to, wants)


def _decode(text: str) -> Head:
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
    decode=_decode,
)
