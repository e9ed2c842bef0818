"""Adds a health check and an admin panel for queues, delayed jobs and failed tasks."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from apps.adminkit import panels
from apps.metrics import gauges
from apps.monitoring import health
from apps.queues import failure_counts, queue_lengths
from apps.queues.models import DeadTask

#: Most tasks that the panel lists by name.
MAX_NAMED_TASKS = 5


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


def build_panel(_request: HttpRequest) -> dict[str, Any]:
    """Return the panel's context: pending work, failed tasks, and recent failed runs by task."""
    failed = failure_counts.read_recent()
    return {
        "work": queue_lengths.read_pending_work(),
        "dead": DeadTask.objects.waiting().count(),
        "failed": failed.total(),
        "failing": failed.most_common(MAX_NAMED_TASKS),
    }


def read_queue_messages() -> Mapping[str, float]:
    """Messages that wait, by queue; and the delayed jobs that are not due yet as "delayed"."""
    work = queue_lengths.read_pending_work()
    return {queue.name: queue.messages for queue in work.queues} | {"delayed": work.jobs.jobs}


def register() -> None:
    """Register the check, the panel and the gauge; AppConfig.ready() calls this."""
    gauges.register(
        "savor_queue_messages", "Messages that wait in Celery's queues.", read_queue_messages, label="queue"
    )
    # Not needed for readiness: pages, orders and payments work without workers; tasks run later.
    health.CHECKS.register(health.HealthCheck(check_queues, needed=False), key="tasks")
    panel = panels.Panel("admin/queues/panels/work.html", build_panel, "queues.view_deadtask")
    panels.register(panel, order=72)
