"""Counts the unfinished starts of a task, to stop a task that kills its worker in each run."""

import logging
from datetime import timedelta

from apps.queues import delayed, keys
from apps.redis_kit import client

#: Unfinished starts that one task may have; count_start() refuses the next one.
MAX_STARTS = 5
#: Lifetime of a count: longer than MAX_STARTS visibility time-outs.
RETENTION = timedelta(days=1)

log = logging.getLogger(__name__)


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
            pipe.expire(keys.TASK_STARTS(task=task_id), RETENTION)
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
