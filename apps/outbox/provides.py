"""What the outbox gives to others: rights, ways of messages, and e-mails about failed tasks."""

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.outbox import monitoring_hooks, ways
from apps.outbox.models import Channel
from apps.outbox.ways import WAYS, Way
from apps.queues import failed_tasks

_PERMISSIONS = ("view_message", "send_again")
roles.PERMISSIONS.register({Role.MANAGER: _PERMISSIONS, Role.SUPPORT: _PERMISSIONS}, key="outbox")

WAYS.register(Way(ways.send_text), key=Channel.SMS)
WAYS.register(Way(ways.send_mail), key=Channel.EMAIL)

failed_tasks.TASK_FAILED.register(monitoring_hooks.email_task_failure)
