"""Which broadcasts are whose: readers merge them into their list, so that none is written for each person."""

import json
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from django.utils import timezone

from apps.mailbox import keys, people
from apps.mailbox.models import Broadcast
from apps.redis_kit import copies

RETENTION = timedelta(days=90)
#: Those of 90 days that readers merge: the site doesn't write more than one a day.
MAX_MERGED = 100
#: The one owner of the copy.
EVERYBODY = 0


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


def _read_rows() -> list[Announcement]:
    city_key = people.directory().city_key
    rows = Broadcast.objects.merged_at_read().filter(sent_at__gt=timezone.now() - RETENTION)
    return [
        Announcement(pk, sent_at.timestamp() if sent_at else 0, city_key(city))
        for pk, sent_at, city in rows.order_by("-pk").values_list("pk", "sent_at", "city")[:MAX_MERGED]
    ]


@lru_cache(maxsize=2 * MAX_MERGED)
def _decode(text: str) -> Announcement:
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
    query=lambda owners: dict.fromkeys(owners, _read_rows()),
    expiry=timedelta(days=7),
    finding=("everybody", "broadcasts"),
    decode=_decode,
)


def read() -> list[Announcement]:
    """The broadcasts of the last 90 days, the newest first; one round trip."""
    return BROADCASTS.read(EVERYBODY)
