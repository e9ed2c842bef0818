"""What the dashboard shows of tasks: `{% load queues %}`."""

from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.queues import queue_lengths, task_counts
from apps.queues.models import DeadTask

register = template.Library()
#: Most tasks that the panel lists by name.
MAX_NAMED_TASKS = 5


@dashboard_panel(register, "admin/queues/panels/work.html", permission="queues.view_deadtask")
def pending_work(_request: HttpRequest) -> dict[str, Any]:
    """`{% pending_work %}`: pending work, failed tasks, and recent failed runs by task."""
    failed = task_counts.read_recent_failures()
    return {
        "work": queue_lengths.read_pending_work(),
        "dead": DeadTask.objects.waiting().count(),
        "failed": failed.total(),
        "failing": failed.most_common(MAX_NAMED_TASKS),
    }
