"""Celery tasks that write published notes to inboxes; apps.blog.tasks registers them."""

from celery import shared_task

from apps.blog.feed import fan_out as fan_out_steps


@shared_task(name="blog.fan_out", max_retries=5)
def fan_out(note_id: int, after: int = 0) -> None:
    """Write a note to one batch of followers and queue the next; a worker that dies repeats one batch."""
    last_follow_id = fan_out_steps.push_batch(note_id, after=after)
    if last_follow_id:
        fan_out.delay(note_id, last_follow_id)


@shared_task(name="blog.fan_out_missed")
def fan_out_missed() -> int:
    """Queue notes again whose fan-out was lost in a crash before or during its task; returns their number."""
    missed = list(fan_out_steps.list_lost_ids())
    for note_id in missed:
        # The task expires after a minute; the next run then finds the note again.
        fan_out.apply_async((note_id,), expires=60)
    return len(missed)
