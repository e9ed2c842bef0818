"""Counts of a task's runs: unfinished starts, to stop one that kills its workers, and failures by hour."""

import logging
from collections import Counter
from datetime import timedelta

from apps.queues import delayed, keys
from apps.redis_kit import client

#: Unfinished starts that one task may have; count_start() refuses the next one.
MAX_STARTS = 5
#: Lifetime of a count: longer than MAX_STARTS visibility time-outs.
STARTS_RETENTION = timedelta(days=1)

log = logging.getLogger(__name__)

HOUR_SECONDS = 3_600
FAILURES_RETENTION = timedelta(hours=3)


class PoisonTask(Exception):  # noqa: N818 - a fact about a task
    """The task was started `starts` times, and each time its worker died before the run ended."""

    def __init__(self, starts: int) -> None:
        super().__init__(f"its worker died in each of {starts} runs")
        self.starts = starts


def count_start(task_id: str) -> None:
    """Count a start of the task; raises PoisonTask after MAX_STARTS unfinished ones.

    While the broker is away, the start is logged and not counted.
    """
    try:
        with client.get(delayed.BROKER_CONNECTION).pipeline(transaction=True) as pipe:
            pipe.incr(keys.TASK_STARTS(task=task_id))
            pipe.expire(keys.TASK_STARTS(task=task_id), STARTS_RETENTION)
            started = int(pipe.execute()[0])
    except client.UNAVAILABLE as error:
        log.warning("the start of task %s is not counted, the broker is away: %s", task_id, error)
        return
    if started > MAX_STARTS:
        raise PoisonTask(MAX_STARTS)


def clear_starts(task_id: str) -> None:
    """Delete the count of a task whose run has ended, with success or failure."""
    try:
        client.get(delayed.BROKER_CONNECTION).delete(keys.TASK_STARTS(task=task_id))
    except client.UNAVAILABLE as error:
        log.warning("the starts of task %s stay counted, the broker is away: %s", task_id, error)


def count_failure(task: str) -> None:
    """Add one failed run of the task to this hour; while the broker is away, only log it."""
    try:
        connected = client.get(delayed.BROKER_CONNECTION)
        hour = int(connected.time()[0]) // HOUR_SECONDS
        with connected.pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.HOURLY_FAILURES(hour=hour), task[:200], 1)
            pipe.expire(keys.HOURLY_FAILURES(hour=hour), FAILURES_RETENTION)
            pipe.execute()
    except client.UNAVAILABLE as error:
        log.warning("a failure of %s is not counted, the broker is away: %s", task, error)


def read_recent_failures() -> Counter[str]:
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
