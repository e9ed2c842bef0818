"""Calls for statistics, on their connection: a page without them is better than none, or a late one.

The deadline of the connection is short, and its server's breaker (redis_kit.breaker) lets one call a second
wait for it while it doesn't answer.
"""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

import redis
from redis.exceptions import RedisError

from apps.redis_kit import client

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)
_has_failed = threading.Event()


def call(command: Callable[[redis.Redis], Answer], *, default: Answer) -> Answer:
    """The result of `command(connection)`; `default` when Redis fails, logged once until a call succeeds."""
    try:
        answer = command(client.get("stats"))
    except (RedisError, *client.UNAVAILABLE) as error:
        if not _has_failed.is_set():
            log.warning("views are not counted: %s: %s", type(error).__name__, error)
        _has_failed.set()
        return default
    _has_failed.clear()
    return answer


def forget_failure() -> None:
    """Log the next failure, whatever came before."""
    _has_failed.clear()
