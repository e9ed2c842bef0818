from celery import shared_task

from apps.queues import dead, tidying


@shared_task(name="queues.bury_kept")
def bury_kept() -> int:
    """Each minute: tasks that died while SQL was away."""
    return dead.bury_kept()


@shared_task(name="queues.tidy")
def tidy() -> int:
    """Each day: dead tasks that were run again long ago."""
    return tidying.tidy()
