"""Celery tasks of notes: the feed's fan-out and the hourly removal of unused photos."""

from celery import shared_task

from apps.blog.feed.fan_out import fan_out, fan_out_missed
from apps.blog.writing import photos

__all__ = ["fan_out", "fan_out_missed", "tidy_photos"]


@shared_task(name="blog.tidy_photos")
def tidy_photos() -> int:
    """Delete photos never attached to a note, and those of notes deleted long ago; returns their number."""
    return photos.delete_expired()
