"""The newest 100 notifications of a person: a list in Redis that is filled from SQL by who looks at it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from apps.mailbox.copies import changes, complete_lists
from apps.mailbox.copies.complete_lists import COMPLETE_MARK
from apps.mailbox.models import Notification
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

MAX_NEWEST = 100
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


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


def command(user_id: int) -> Command:
    """The command whose reply `parse` reads."""
    return ("LRANGE", changes.newest_copy(user_id).key, 0, -1)


def parse(reply: Sequence[str]) -> list[Entry] | None:
    """A person's newest notifications as Redis has them; None when they are not there."""
    if not reply or reply[0] != COMPLETE_MARK:
        return None
    return [_decode(element) for element in reply[1:]]


def load(user_id: int) -> list[Entry]:
    """A person's newest notifications from SQL, which are then copied to Redis."""
    copy = changes.newest_copy(user_id)
    token = complete_lists.take_leases([copy])
    entries = read_from_sql(user_id)
    complete_lists.fill({copy: [COMPLETE_MARK, *map(json.dumps, entries)]}, token)
    return entries


def read_copies(user_ids: Sequence[int]) -> dict[int, list[Entry]]:
    """{user id: newest notifications as Redis has them}, of those who have them there; one round trip."""
    replies = transport.execute_many(client.get(), list(map(command, user_ids))) if user_ids else []
    copies = {user_id: parse(reply) for user_id, reply in zip(user_ids, replies, strict=True)}
    return {user_id: copy for user_id, copy in copies.items() if copy is not None}


def read_from_sql(user_id: int) -> list[Entry]:
    """A person's newest notifications as SQL has them."""
    return read_rows(Notification.objects.filter(recipient=user_id), MAX_NEWEST)


def read_rows(rows: QuerySet[Notification], most: int) -> list[Entry]:
    """The newest of these rows; one query."""
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


def _decode(element: str) -> Entry:
    at, number, kind, target_kind, target_id, text, count, actors, is_unread = json.loads(element)
    return Entry(at, number, kind, target_kind, target_id, text, count, tuple(actors), is_unread)


def _split(actors: str) -> tuple[int, ...]:
    return tuple(int(actor) for actor in actors.split(",") if actor)
