"""What the outbox tells the monitoring, and what it tells the managers."""

from datetime import timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.adminkit import panels
from apps.outbox import outbox
from apps.outbox.models import Message, State
from apps.queues import failed_tasks
from apps.queues.failed_tasks import TaskFailure

RECENT = timedelta(hours=1)


def panel_context(_request: HttpRequest) -> dict[str, Any]:
    """What waits and since when, what failed, and what went out in the last hour."""
    waiting = Message.objects.waiting().aggregate(count=Count("pk"), oldest=Min("created_at"))
    late = Q(sent_at__gte=timezone.now() - RECENT)
    return {
        "waiting": waiting["count"],
        "oldest": waiting["oldest"],
        "failed": Message.objects.failed().count(),
        "sent": Message.objects.filter(late, state=State.SENT).count(),
    }


def email_task_failure(death: TaskFailure) -> None:
    """An e-mail to the managers, once an hour: the first dead task of it stands for all."""
    hour = f"{timezone.now():%Y-%m-%dT%H}"
    told = {"task": death.name, "error": death.error}
    text = _(
        "The task %(task)s failed for good: %(error)s\n\n"
        "The admin's list of dead tasks has it and any others of this hour, with a button to run them again."
    )
    outbox.email_managers(
        subject=_("Savor: a task died"), text=(text % told)[:2_000], key=f"dead-tasks:{hour}"
    )


def register() -> None:
    """Called when the app is ready."""
    template = "admin/outbox/panels/outbox.html"
    panel = panels.Panel(template, panel_context, "outbox.view_message", needs_redis=False)
    panels.register(panel, order=74)
    failed_tasks.TASK_FAILED.register(email_task_failure)
