"""The newest 100 notifications of a person: a list in Redis that is filled from SQL by who looks at it."""

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from apps.mailbox import keys
from apps.mailbox.models import Notification
from apps.redis_kit import copies

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


def read_from_sql(user_ids: Collection[int]) -> dict[int, list[Entry]]:
    """{user id: newest notifications} as SQL has them; a query for each person."""
    rows = Notification.objects.all()
    return {user_id: read_rows(rows.filter(recipient=user_id), MAX_NEWEST) for user_id in user_ids}


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


NEWEST = copies.LeasedList(
    keys.NEWEST,
    keys.NEWEST_LEASE,
    query=read_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "newest"),
    decode=_decode,
)
