"""How often a task was begun: one that kills its process each time would come back for ever."""

import logging
from datetime import timedelta

from apps.queues import delayed, keys
from apps.redis_kit import client

#: Starts of one task that may end without an end; the next one is refused.
MAX_STARTS = 5
#: Longer than so many visibility time-outs.
RETENTION = timedelta(days=1)

log = logging.getLogger(__name__)


class PoisonTask(Exception):  # noqa: N818 - a fact about a task
    """This task was begun so often, and its worker was gone before it ended."""

    def __init__(self, starts: int) -> None:
        super().__init__(f"its worker died in each of {starts} runs")
        self.starts = starts


def count_start(task_id: str) -> None:
    """Note that a run begins; KeepsDying instead of the run after MOST. Without the broker nothing counts."""
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
    """The run has an end, whichever."""
    try:
        client.get(delayed.BROKER_CONNECTION).delete(keys.TASK_STARTS(task=task_id))
    except client.UNAVAILABLE as error:
        log.warning("the starts of task %s stay counted, the broker is away: %s", task_id, error)
