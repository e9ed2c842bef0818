"""Counts failed runs by task and hour, retried runs included."""

import logging
from collections import Counter
from datetime import timedelta

from apps.queues import delayed, keys
from apps.redis_kit import client

HOUR_SECONDS = 3_600
RETENTION = timedelta(hours=3)

log = logging.getLogger(__name__)


def count_failure(task: str) -> None:
    """Add one failed run of the task to this hour; while the broker is away, only log it."""
    try:
        connected = client.get(delayed.BROKER_CONNECTION)
        hour = int(connected.time()[0]) // HOUR_SECONDS
        with connected.pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.HOURLY_FAILURES(hour=hour), task[:200], 1)
            pipe.expire(keys.HOURLY_FAILURES(hour=hour), RETENTION)
            pipe.execute()
    except client.UNAVAILABLE as error:
        log.warning("a failure of %s is not counted, the broker is away: %s", task, error)


def read_recent() -> Counter[str]:
    """Return the failed runs of this hour and the one before, by task name; raises client.UNAVAILABLE."""
    connected = client.get(delayed.BROKER_CONNECTION)
    hour = int(connected.time()[0]) // HOUR_SECONDS
    with connected.pipeline(transaction=False) as pipe:
        for one in (hour - 1, hour):
            pipe.hgetall(keys.HOURLY_FAILURES(hour=one))
        answers = pipe.execute()
    found: Counter[str] = Counter()
    for answer in answers:
        found.update({task: int(times) for task, times in answer.items()})
    return found
