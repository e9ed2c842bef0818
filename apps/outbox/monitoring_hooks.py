"""The outbox on the dashboard, and e-mails to managers about failed tasks."""

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
    """Numbers of waiting, failed and recently sent messages, and the oldest waiting one."""
    waiting = Message.objects.waiting().aggregate(count=Count("pk"), oldest=Min("created_at"))
    late = Q(sent_at__gte=timezone.now() - RECENT)
    return {
        "waiting": waiting["count"],
        "oldest": waiting["oldest"],
        "failed": Message.objects.failed().count(),
        "sent": Message.objects.filter(late, state=State.SENT).count(),
    }


def email_task_failure(death: TaskFailure) -> None:
    """E-mail the managers about a failed task, at most once an hour."""
    hour = f"{timezone.now():%Y-%m-%dT%H}"
    told = {"task": death.name, "error": death.error}
    text = _(
        "The task %(task)s failed for good: %(error)s\n\n"
        "The admin's list of failed tasks has it and any others of this hour, "
        "with a button to run them again."
    )
    outbox.email_managers(
        subject=_("Savor: a task failed"), text=(text % told)[:2_000], key=f"failed-tasks:{hour}"
    )


def register() -> None:
    """Add the panel and the failure hook; called when the app is ready."""
    template = "admin/outbox/panels/outbox.html"
    panel = panels.Panel(template, panel_context, "outbox.view_message", needs_redis=False)
    panels.register(panel, order=74)
    failed_tasks.TASK_FAILED.register(email_task_failure)
