"""Celery tasks of the queues app, which beat sends (config/celery_schedule.py)."""

from celery import shared_task

from apps.queues import failed_tasks, owed


@shared_task(name="queues.flush_pending")
def flush_pending() -> int:
    """Move the failures that wait on the broker's server to SQL, each minute; return how many."""
    return failed_tasks.flush_pending()


@shared_task(name="queues.tidy")
def delete_expired() -> int:
    """Delete the failed tasks that were run again long ago, each day; return how many."""
    return failed_tasks.delete_expired()


@shared_task(name="queues.do_owed")
def do_owed() -> int:
    """Every few seconds: do what commits owe and their processes have not done; return how many."""
    return owed.sweep()
