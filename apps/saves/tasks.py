"""The Celery task of lists: the hourly removal of those that were deleted long ago."""

from celery import shared_task

from apps.saves import lists


@shared_task(name="saves.remove_deleted")
def remove_deleted() -> int:
    """Remove a batch of lists whose deletion can't be undone any more; returns how many."""
    return lists.remove_expired()
