"""Celery tasks of the monitoring."""

from celery import shared_task
from django.conf import settings

from apps.monitoring import memory, rebuilding
from apps.monitoring.reconcile import runs
from apps.redis_kit import locks


@shared_task(ignore_result=True)
def rebuild(name: str) -> None:
    """Run a rebuild that the admin claimed."""
    rebuilding.run(name)


@shared_task(name="monitoring.reconcile")
def reconcile() -> int:
    """Run the parts of the reconciliation that are due, with repairs; returns the differences found.

    Returns 0 as well while another process reconciles.
    """
    lease = settings.CELERY_TASK_TIME_LIMIT
    return locks.run_exclusively("monitoring.reconcile", runs.run_due, lease=lease) or 0


@shared_task(name="monitoring.shed_memory")
def shed_memory() -> int:
    """Measure the areas of Redis memory and delete keys of those past their quota; returns how many keys."""
    return memory.enforce_quotas()
