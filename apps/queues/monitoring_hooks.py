"""A health check and a gauge of queues and delayed jobs."""

from collections.abc import Mapping

from apps.monitoring import health
from apps.queues import queue_lengths


def check_queues() -> health.Result:
    """Report late queues and late delayed jobs; healthy when nothing waits longer than its limit."""
    work = queue_lengths.read_pending_work()
    late = [f"{queue.name} for {queue.oldest_seconds:.0f} s" for queue in work.queues if queue.is_late]
    if work.are_jobs_late:
        late.append(f"delayed jobs for {work.jobs.late_seconds:.0f} s")
    if late:
        return health.Result(False, f"late: {', '.join(late)}")
    waiting = sum(queue.messages for queue in work.queues)
    return health.Result(True, f"{waiting} waiting, {work.jobs.jobs} for later")


def read_queue_messages() -> Mapping[str, float]:
    """Messages that wait, by queue; and the delayed jobs that are not due yet as "delayed"."""
    work = queue_lengths.read_pending_work()
    return {queue.name: queue.messages for queue in work.queues} | {"delayed": work.jobs.jobs}
