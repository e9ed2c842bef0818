from celery import shared_task
from kombu.exceptions import OperationalError

from apps.blog.feed import fan_out as fan_out_steps
from apps.blog.writing import photos
from apps.redis_kit import client


@shared_task(
    name="blog.fan_out",
    autoretry_for=(*client.UNAVAILABLE, OperationalError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def fan_out(note_id: int, after: int = 0) -> None:
    """One batch of followers, then the next: a worker that dies repeats one batch."""
    next_follower = fan_out_steps.push_batch(note_id, after=after)
    if next_follower:
        fan_out.delay(note_id, next_follower)


@shared_task(name="blog.fan_out_missed")
def fan_out_missed() -> int:
    """Each minute: notes whose way was cut off, by a crash between commit and queue or a lost task."""
    missed = list(fan_out_steps.list_lost_ids())
    for note_id in missed:
        # What waited a minute for a worker is here again.
        fan_out.apply_async((note_id,), expires=60)
    return len(missed)


@shared_task(name="blog.tidy_photos")
def tidy_photos() -> int:
    """Each hour: photos that no note took, and those of notes deleted long ago."""
    return photos.delete_expired()
