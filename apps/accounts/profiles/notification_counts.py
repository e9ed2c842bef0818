"""The dot that says something new concerns me: counts by kind, until I look."""

import logging
from datetime import timedelta
from enum import StrEnum
from typing import cast

from apps.accounts import keys
from apps.redis_kit import client

RETENTION = timedelta(days=90)
log = logging.getLogger(__name__)


class Kind(StrEnum):
    LIKE = "like"
    COMMENT = "comment"
    FOLLOWER = "follower"
    SALE = "sale"


def add(user_id: int, kind: Kind) -> None:
    """Count one; called after the commit of its cause, which it never harms: without Redis no dot."""
    try:
        with client.get().pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.NOTIFICATION_COUNTS(user=user_id), kind, 1)
            pipe.expire(keys.NOTIFICATION_COUNTS(user=user_id), RETENTION)
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("news of %s were not counted: Redis is away", kind)


def read_unread(user_id: int) -> dict[Kind, int]:
    """What is new, by kind; {} also while Redis is away."""
    try:
        return _parse_counts(
            cast("dict[str, str]", client.get().hgetall(keys.NOTIFICATION_COUNTS(user=user_id)))
        )
    except client.UNAVAILABLE:
        return {}


def take_unread(user_id: int) -> dict[Kind, int]:
    """What is new, now looked at: nothing that is told meanwhile is lost. {} while Redis is away."""
    try:
        with client.get().pipeline(transaction=True) as pipe:
            pipe.hgetall(keys.NOTIFICATION_COUNTS(user=user_id))
            pipe.delete(keys.NOTIFICATION_COUNTS(user=user_id))
            return _parse_counts(pipe.execute()[0])
    except client.UNAVAILABLE:
        return {}


def mark_read(user_id: int, *kinds: Kind) -> None:
    """The person has looked at these kinds, or at all of them."""
    try:
        if kinds:
            client.get().hdel(keys.NOTIFICATION_COUNTS(user=user_id), *kinds)
        else:
            client.get().delete(keys.NOTIFICATION_COUNTS(user=user_id))
    except client.UNAVAILABLE:
        return


def _parse_counts(held: dict[str, str]) -> dict[Kind, int]:
    return {kind: int(held[kind]) for kind in Kind if kind in held}
