"""What the queues tell the monitoring: a health check and a panel."""

from typing import Any

from django.http import HttpRequest

from apps.monitoring import health, panels
from apps.queues import failures, lengths
from apps.queues.models import DeadTask

#: Tasks that are named in the panel.
MOST_NAMED = 5


def tasks() -> health.Result:
    """Nothing waits for the workers, or for a mover, for too long."""
    work = lengths.read()
    late = [f"{queue.name} for {queue.oldest_seconds:.0f} s" for queue in work.queues if queue.late]
    if work.jobs_late:
        late.append(f"delayed jobs for {work.jobs.late_seconds:.0f} s")
    if late:
        return health.Result(False, f"late: {', '.join(late)}")
    waiting = sum(queue.messages for queue in work.queues)
    return health.Result(True, f"{waiting} waiting, {work.jobs.jobs} for later")


def panel(_request: HttpRequest) -> dict[str, Any]:
    """Queues, delayed jobs, failures of late and dead tasks."""
    failed = failures.recent()
    return {
        "work": lengths.read(),
        "dead": DeadTask.objects.waiting().count(),
        "failed": failed.total(),
        "failing": failed.most_common(MOST_NAMED),
    }


def register() -> None:
    """Called when the app is ready."""
    # Pages, orders and payments work without workers: they only follow later.
    health.register("tasks", tasks, needed=False)
    panels.register(72, "admin/queues/panels/work.html", panel, permission="queues.view_deadtask")
