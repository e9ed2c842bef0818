"""How many notifications a person has not read: a number in Redis, beside what decides on broadcasts."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from apps.mailbox import people, preferences
from apps.mailbox.copies import changes, complete_lists, merging
from apps.mailbox.copies.merging import Reader
from apps.mailbox.kinds import Delivery, Kind
from apps.mailbox.models import Notification, Preferences
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

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
    return [merging.command(), *(("LINDEX", changes.head_copy(user_id).key, 0) for user_id in user_ids)]


def parse(replies: Sequence[Any]) -> list[int | None]:
    """Each person's number of unread notifications; None where SQL has to count."""
    announcements = merging.parse(replies[0])
    if announcements is None:
        return [None] * (len(replies) - 1)
    heads = [parse_head(reply) if reply else None for reply in replies[1:]]
    return [head and _count(head, announcements) for head in heads]


def load(user_ids: Collection[int]) -> dict[int, int]:
    """{user id: number of unread notifications} from SQL, which are then copied to Redis."""
    announcements = merging.read()
    return {user_id: _count(head, announcements) for user_id, head in fill_heads(user_ids).items()}


def count(user_id: int) -> int:
    """A person's number of unread notifications; one round trip, and SQL where Redis doesn't know."""
    try:
        (found,) = parse(transport.execute_many(client.get(), commands([user_id])))
    except client.UNAVAILABLE:
        found = None
    return load([user_id])[user_id] if found is None else found


def fill_heads(user_ids: Collection[int]) -> dict[int, Head]:
    """{user id: head} from SQL, three queries for any number of people; they are copied to Redis."""
    copies = {user_id: changes.head_copy(user_id) for user_id in user_ids}
    token = complete_lists.take_leases(copies.values())
    heads = heads_from_sql(user_ids)
    complete_lists.fill({copies[user_id]: [json.dumps(head)] for user_id, head in heads.items()}, token)
    return heads


def heads_from_sql(user_ids: Collection[int]) -> dict[int, Head]:
    """{user id: head} as SQL has them now."""
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


def read_heads(user_ids: Sequence[int]) -> dict[int, Head]:
    """{user id: head} of those of these people who have a copy in Redis; one round trip."""
    raw = transport.execute_many(client.get(), commands(user_ids)[1:]) if user_ids else []
    return {user_id: parse_head(reply) for user_id, reply in zip(user_ids, raw, strict=True) if reply}


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the heads of all people who have notifications; returns their number."""
    recipients = Notification.objects.order_by("recipient").values_list("recipient", flat=True).distinct()
    total, done = recipients.count(), 0
    for first in range(0, total, BATCH_PEOPLE):
        done += len(fill_heads(list(recipients[first : first + BATCH_PEOPLE])))
        report(done, max(done, total))
    return done


def _count(head: Head, announcements: Sequence[merging.Announcement]) -> int:
    return head.unread_rows + head.reader.count_unread(announcements)


def _build_reader(person: people.Person, row: Preferences | None) -> Reader:
    wants = preferences.choose_delivery(row.deliveries if row else None, Kind.SITE) != Delivery.OFF
    read_to = row.broadcast_read_to if row else 0
    return Reader(person.joined_at.timestamp(), person.city, read_to, wants)


def parse_head(text: str) -> Head:
    """The head of a reply from Redis."""
    unread_rows, reader = json.loads(text)
    return Head(unread_rows, Reader(*reader))
