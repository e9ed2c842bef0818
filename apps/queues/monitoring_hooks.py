"""A health check and a gauge of queues and delayed jobs."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop

from apps.monitoring import health
from apps.queues import queue_lengths
from apps.web.stored_texts import Template

LATE = Template(gettext_noop("late: %(queues)s"))
WAITING = Template(gettext_noop("%(waiting)s waiting, %(later)s for later"))


def check_queues() -> health.Result:
    """Report late queues and late delayed jobs; healthy when nothing waits longer than its limit."""
    work = queue_lengths.read_pending_work()
    late = [f"{queue.name} {queue.oldest_seconds:.0f} s" for queue in work.queues if queue.is_late]
    if work.are_jobs_late:
        late.append(f"delayed {work.jobs.late_seconds:.0f} s")
    if late:
        return health.Result(False, LATE.fill(queues=", ".join(late)))
    waiting = sum(queue.messages for queue in work.queues)
    return health.Result(True, WAITING.fill(waiting=waiting, later=work.jobs.jobs))


def read_queue_messages() -> Mapping[str, float]:
    """Messages that wait, by queue; and the delayed jobs that are not due yet as "delayed"."""
    work = queue_lengths.read_pending_work()
    return {queue.name: queue.messages for queue in work.queues} | {"delayed": work.jobs.jobs}
