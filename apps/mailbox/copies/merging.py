"""Which broadcasts are whose: readers merge them into their list, so that none is written for each person."""

import json
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from django.utils import timezone

from apps.mailbox import keys, people
from apps.mailbox.copies import complete_lists
from apps.mailbox.copies.complete_lists import COMPLETE_MARK, Copy
from apps.mailbox.models import Broadcast
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

RETENTION = timedelta(days=90)
#: Those of 90 days that readers merge: the site doesn't write more than one a day.
MAX_MERGED = 100
COPY = Copy(keys.BROADCASTS(), keys.BROADCASTS_LEASE())


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
        """How many of these broadcasts the person has and has not read."""
        return sum(found.broadcast_id > self.read_to and self.may_read(found) for found in announcements)


def command() -> Command:
    """The command whose reply `parse` reads."""
    return ("LRANGE", COPY.key, 0, -1)


def parse(reply: Sequence[str]) -> tuple[Announcement, ...] | None:
    """The broadcasts in Redis, the newest first; None when they are not there."""
    return _decode(tuple(reply[1:])) if reply and reply[0] == COMPLETE_MARK else None


def load() -> tuple[Announcement, ...]:
    """The broadcasts of the last 90 days from SQL, which are then copied to Redis."""
    token = complete_lists.take_leases([COPY])
    found = _read_rows()
    complete_lists.fill({COPY: [COMPLETE_MARK, *map(json.dumps, found)]}, token)
    return found


def differ() -> bool:
    """Whether Redis has other broadcasts than SQL; those that have grown too old meanwhile don't count."""
    copied = parse(transport.execute(client.get(), command()))
    since = (timezone.now() - RETENTION).timestamp()
    return copied is not None and tuple(one for one in copied if one.sent_at > since) != _read_rows()


def _read_rows() -> tuple[Announcement, ...]:
    city_key = people.directory().city_key
    rows = Broadcast.objects.merged_at_read().filter(sent_at__gt=timezone.now() - RETENTION)
    return tuple(
        Announcement(pk, sent_at.timestamp() if sent_at else 0, city_key(city))
        for pk, sent_at, city in rows.order_by("-pk").values_list("pk", "sent_at", "city")[:MAX_MERGED]
    )


def read() -> tuple[Announcement, ...]:
    """The broadcasts of the last 90 days, the newest first; one round trip."""
    try:
        found = parse(transport.execute(client.get(), command()))
    except client.UNAVAILABLE:
        found = None
    return load() if found is None else found


def forget() -> None:
    """Have the next reader load the broadcasts again, after the commit of a change."""
    complete_lists.forget([("DEL", *COPY)])


@lru_cache(maxsize=4)
def _decode(elements: tuple[str, ...]) -> tuple[Announcement, ...]:
    return tuple(Announcement(*json.loads(element)) for element in elements)
