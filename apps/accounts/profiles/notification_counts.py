"""Counts of unread notifications by kind, in Redis: the dot in the header. Reset when the person looks."""

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
    """Count one notification, after the commit of its cause; while Redis is away it is not counted."""
    try:
        with client.get().pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.NOTIFICATION_COUNTS(user=user_id), kind, 1)
            pipe.expire(keys.NOTIFICATION_COUNTS(user=user_id), RETENTION)
            pipe.execute()
    except client.UNAVAILABLE:
        log.warning("news of %s were not counted: Redis is away", kind)


def read_unread(user_id: int) -> dict[Kind, int]:
    """Unread counts by kind; {} also while Redis is away."""
    try:
        return _parse_counts(
            cast("dict[str, str]", client.get().hgetall(keys.NOTIFICATION_COUNTS(user=user_id)))
        )
    except client.UNAVAILABLE:
        return {}


def take_unread(user_id: int) -> dict[Kind, int]:
    """Unread counts by kind, reset in the same step so that none is lost; {} while Redis is away."""
    try:
        with client.get().pipeline(transaction=True) as pipe:
            pipe.hgetall(keys.NOTIFICATION_COUNTS(user=user_id))
            pipe.delete(keys.NOTIFICATION_COUNTS(user=user_id))
            return _parse_counts(pipe.execute()[0])
    except client.UNAVAILABLE:
        return {}


def mark_read(user_id: int, *kinds: Kind) -> None:
    """Reset the counts of these kinds, or of all."""
    try:
        if kinds:
            client.get().hdel(keys.NOTIFICATION_COUNTS(user=user_id), *kinds)
        else:
            client.get().delete(keys.NOTIFICATION_COUNTS(user=user_id))
    except client.UNAVAILABLE:
        return


def _parse_counts(held: dict[str, str]) -> dict[Kind, int]:
    return {kind: int(held[kind]) for kind in Kind if kind in held}
