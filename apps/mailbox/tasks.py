"""Celery tasks of the mailbox."""

from celery import shared_task

from apps.mailbox import broadcasts, notifications


@shared_task(name=broadcasts.TASK_NAME)
def write_batch(broadcast_id: int) -> int:
    """Tell a batch of a list's people, and have a worker go on; each batch is a task of its own."""
    done = broadcasts.work_on(broadcast_id)
    if done:
        broadcasts.enqueue(broadcast_id)
    return done


@shared_task(name="mailbox.sweep")
def sweep() -> int:
    """Every minute: go on with lists whose task was lost; returns how many."""
    unfinished = broadcasts.unfinished_ids()
    for broadcast_id in unfinished:
        broadcasts.enqueue(broadcast_id)
    return len(unfinished)


@shared_task(name="mailbox.tidy")
def tidy() -> int:
    """Each day: delete notifications of more than 90 days ago."""
    return notifications.delete_expired()
