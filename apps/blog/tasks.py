import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from apps.blog import fan_out as ways
from apps.blog import photos, social
from apps.redis_kit import client

log = logging.getLogger(__name__)


@shared_task(
    name="blog.fan_out",
    autoretry_for=(*client.UNAVAILABLE, OperationalError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def fan_out(note_id: int, after: int = 0) -> None:
    """One batch of followers, then the next: a worker that dies repeats one batch."""
    following = ways.push(note_id, after=after)
    if following:
        fan_out.delay(note_id, following)


@shared_task(name="blog.fan_out_missed")
def fan_out_missed() -> int:
    """Each minute: notes whose way was cut off, by a crash between commit and queue or a lost task."""
    missed = list(ways.lost())
    for note_id in missed:
        # What waited a minute for a worker is here again.
        fan_out.apply_async((note_id,), expires=60)
    return len(missed)


@shared_task(name="blog.tidy_photos")
def tidy_photos() -> int:
    """Each hour: photos that no note took, and those of notes deleted long ago."""
    return photos.tidy()


@shared_task(name="blog.reconcile_social")
def reconcile_social() -> int:
    """Each hour: likes, follows, feeds, sign-ins and scores that differ from the rows, repaired and told."""
    found = list(social.drift(fix=True))
    for one in found:
        log.warning("repaired: %s", one)
    return len(found)
