"""A circuit breaker for statistics: a short deadline a call, and a pause after a failure."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

import redis
from redis.exceptions import RedisError

from apps.redis_kit import client

Answer = TypeVar("Answer")

#: Seconds for which this process leaves Redis alone after a call that failed.
OPEN_SECONDS = 3.0

log = logging.getLogger(__name__)


class CircuitBreaker:
    """Calls on the "stats" connection; a failure is logged once until a call succeeds again."""

    def __init__(self) -> None:
        self._open_until, self._is_open = 0.0, False

    def call(self, command: Callable[[redis.Redis], Answer], *, default: Answer) -> Answer:
        """The result of `command(connection)`, or `default` when Redis fails, after one deadline at most."""
        if time.monotonic() < self._open_until:
            return default
        try:
            answer = command(client.get("stats"))
        except (RedisError, *client.UNAVAILABLE) as error:
            self._open(error)
            return default
        self._is_open = False
        return answer

    def reset(self) -> None:
        """Close the circuit: try again at once."""
        self._open_until, self._is_open = 0.0, False

    def _open(self, error: Exception) -> None:
        self._open_until = time.monotonic() + OPEN_SECONDS
        if not self._is_open:
            log.warning("views are not counted: %s: %s", type(error).__name__, error)
        self._is_open = True


stats_breaker = CircuitBreaker()
