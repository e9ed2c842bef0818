"""Celery tasks of the metrics."""

from celery import shared_task

from apps.metrics import counters


@shared_task(name="metrics.clean", ignore_result=True)
def clean() -> None:
    """Remove the counters' old samples."""
    counters.clean()
