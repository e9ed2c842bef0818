from celery import shared_task

from apps.queues import failed_tasks, retention


@shared_task(name="queues.bury_kept")
def flush_pending() -> int:
    """Each minute: tasks that died while SQL was away."""
    return failed_tasks.flush_pending()


@shared_task(name="queues.tidy")
def delete_expired() -> int:
    """Each day: dead tasks that were run again long ago."""
    return retention.delete_expired()
