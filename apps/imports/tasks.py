"""Celery tasks of imports."""

from celery import shared_task

from apps.imports import running


@shared_task(name=running.TASK_NAME)
def go_on(import_id: int) -> None:
    """Check or write a minute's worth of rows, and have a worker go on with the rest."""
    if running.go_on(import_id).is_active:
        running.enqueue(import_id)


@shared_task(name="imports.sweep")
def sweep() -> int:
    """Each minute: go on with imports whose task was lost, forget old ones; returns how many were lost."""
    return running.sweep()
