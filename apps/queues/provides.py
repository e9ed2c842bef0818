"""What queues give to others: rights, a health check, a gauge, and to Celery its receivers of failures."""

from celery import signals
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.metrics.gauges import GAUGES, Gauge
from apps.monitoring.health import CHECKS, HealthCheck
from apps.queues import failure_signals, monitoring_hooks, owed

roles.PERMISSIONS.register({Role.MANAGER: ("view_deadtask", "run_again")}, key="queues")

# Not needed for readiness: pages, orders and payments work without workers; tasks run later.
CHECKS.register(HealthCheck(monitoring_hooks.check_queues, label=_("Tasks"), needed=False), key="tasks")
GAUGES.register(
    Gauge("Messages that wait in Celery's queues.", monitoring_hooks.read_queue_messages, "queue"),
    key="savor_queue_messages",
)
GAUGES.register(
    Gauge("Effects that commits owe, and nobody has done in time.", lambda: {"": owed.count_waiting()}),
    key="savor_owed_effects",
)

signals.task_failure.connect(failure_signals.on_task_failure)
signals.task_unknown.connect(failure_signals.on_task_unknown)
signals.task_rejected.connect(failure_signals.on_task_rejected)
