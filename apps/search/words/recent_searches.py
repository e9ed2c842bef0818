"""What a person, or else a browser, searched for last: the newest first, theirs to remove."""

import time
from functools import partial
from typing import cast

import redis

from apps.redis_kit import client, transport
from apps.search import keys
from apps.uv import stats_calls

MAX_RECENT = 10
MAX_TEXT_LENGTH = 100


def remember(owner: str, text: str) -> None:
    """Put a text first in the owner's list; nothing happens for the owner "" and while Redis is away."""
    if owner and text:
        stats_calls.call(partial(_put, owner, text[:MAX_TEXT_LENGTH]), default=None)


def newest(owner: str) -> list[str]:
    """At most 10 texts, the newest first; [] without an owner and while Redis is away."""
    return stats_calls.call(partial(_read, owner), default=[]) if owner else []


def remove(owner: str, text: str) -> None:
    """Remove one text; raises Redis errors, since success must not be claimed when it failed."""
    if owner:
        client.get().zrem(keys.RECENT_SEARCHES(who=owner), text[:MAX_TEXT_LENGTH])


def clear(owner: str) -> None:
    """Remove the whole list; raises Redis errors."""
    if owner:
        client.get().delete(keys.RECENT_SEARCHES(who=owner))


def _put(owner: str, text: str, connected: redis.Redis) -> None:
    key = keys.RECENT_SEARCHES(who=owner)
    transport.execute_many(
        connected,
        [
            ("ZADD", key, time.time() * 1000, text),
            ("ZREMRANGEBYRANK", key, 0, -MAX_RECENT - 1),
            ("EXPIRE", key, keys.RECENT_TTL_SECONDS),
        ],
    )


def _read(owner: str, connected: redis.Redis) -> list[str]:
    return cast("list[str]", connected.zrevrange(keys.RECENT_SEARCHES(who=owner), 0, MAX_RECENT - 1))
