"""E-mails to managers about failed tasks."""

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.outbox import outbox
from apps.queues.failed_tasks import TaskFailure


def email_task_failure(death: TaskFailure) -> None:
    """E-mail the managers about a failed task, at most once an hour."""
    hour = f"{timezone.now():%Y-%m-%dT%H}"
    details = {"task": death.name, "error": death.error}
    text = _(
        "The task %(task)s failed for good: %(error)s\n\n"
        "The admin's list of failed tasks has it and any others of this hour, "
        "with a button to run them again."
    )
    outbox.email_managers(
        subject=_("%s: a task failed") % settings.SITE_NAME,
        text=(text % details)[:2_000],
        key=f"failed-tasks:{hour}",
    )
