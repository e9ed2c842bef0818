"""Celery tasks of the monitoring."""

from celery import shared_task

from apps.monitoring import rebuilding


@shared_task(ignore_result=True)
def rebuild(name: str) -> None:
    """Run a rebuild that the admin claimed."""
    rebuilding.run(name)
