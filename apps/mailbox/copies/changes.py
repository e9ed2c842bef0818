"""What Redis hears of a person's changed mailbox, after the commit."""

import logging
from collections.abc import Collection

from apps.front.live import publishing
from apps.front.live.topics import person_topic
from apps.mailbox.copies.newest import NEWEST
from apps.mailbox.copies.unread import HEADS
from apps.redis_kit import client, scripts
from apps.redis_kit.transport import Command

#: The name of the event on a person's live stream.
EVENT = "mailbox"
log = logging.getLogger(__name__)


def commands(user_ids: Collection[int], kind: str = "") -> list[Command]:
    """The commands that delete these people's copies and tell their open pages, for a round trip with others.

    The first call after Redis started may reach no page: the script is not there yet.
    """
    events = [
        publishing.PUBLISH_EVENT.command(keys=names, args=args) for names, args in _events(user_ids, kind)
    ]
    return [*_deletions(user_ids), *events]


def publish(user_ids: Collection[int], kind: str = "") -> None:
    """`commands` in a round trip of their own; never raises when Redis is away."""
    try:
        publishing.PUBLISH_EVENT.call_many(client.get(), _events(user_ids, kind), also=_deletions(user_ids))
    except client.UNAVAILABLE:
        log.warning("the copied mailboxes of %d people may be outdated: Redis is away", len(user_ids))


def _deletions(user_ids: Collection[int]) -> list[Command]:
    return [("DEL", *HEADS.keys(user_id), *NEWEST.keys(user_id)) for user_id in user_ids]


def _events(user_ids: Collection[int], kind: str) -> list[scripts.Call]:
    """An event names the kind alone: pages ask for the number, in which broadcasts count too."""
    data = publishing.encode({"kind": kind})
    return [publishing.build_call(person_topic(user_id), EVENT, data) for user_id in user_ids]
