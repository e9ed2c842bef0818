"""What the outbox gives to others: rights, and e-mails to managers about failed tasks."""

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.outbox import monitoring_hooks
from apps.queues import failed_tasks

_PERMISSIONS = ("view_message", "send_again")
roles.PERMISSIONS.register({Role.MANAGER: _PERMISSIONS, Role.SUPPORT: _PERMISSIONS}, key="outbox")

failed_tasks.TASK_FAILED.register(monitoring_hooks.email_task_failure)
