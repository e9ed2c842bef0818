"""Celery tasks of the outbox."""

from celery import shared_task

from apps.outbox import outbox, sending


@shared_task(name=outbox.SEND_TASK)
def send(keys: list[str]) -> int:
    """Send the messages of the given keys that are still to be sent."""
    return sending.send(keys)


@shared_task(name="outbox.sweep")
def sweep() -> int:
    """Every few seconds: send due messages that no job announced."""
    return sending.sweep()


@shared_task(name="outbox.tidy")
def tidy() -> int:
    """Each day: delete messages that were sent long ago."""
    return sending.delete_expired()
