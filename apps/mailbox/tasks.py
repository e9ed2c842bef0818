"""Celery tasks of the mailbox."""

from celery import shared_task

from apps.mailbox import retention
from apps.mailbox.broadcasts import sending


@shared_task(name=sending.TASK_NAME)
def write_batch(broadcast_id: int) -> int:
    """Tell a batch of a list's people, and have a worker go on; each batch is a task of its own."""
    done = sending.work_on(broadcast_id)
    if done:
        sending.enqueue(broadcast_id)
    return done


@shared_task(name="mailbox.sweep")
def sweep() -> int:
    """Every minute: go on with lists whose task was lost; returns how many."""
    unfinished = sending.unfinished_ids()
    for broadcast_id in unfinished:
        sending.enqueue(broadcast_id)
    return len(unfinished)


@shared_task(name="mailbox.tidy")
def tidy() -> int:
    """Each day: delete notifications of more than 90 days ago."""
    return retention.delete_expired()
