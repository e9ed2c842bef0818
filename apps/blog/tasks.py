"""Celery tasks of notes: the feed's fan-out, and the hourly removal of what is no longer used."""

from celery import shared_task

from apps.blog import comments
from apps.blog.feed.fan_out import fan_out, fan_out_missed
from apps.blog.writing import notes, photos

__all__ = ["erase_deleted", "fan_out", "fan_out_missed", "tidy_photos"]


@shared_task(name="blog.tidy_photos")
def tidy_photos() -> int:
    """Delete photos never attached to a note, and those of notes deleted long ago; returns their number."""
    return photos.delete_expired()


@shared_task(name="blog.erase_deleted")
def erase_deleted() -> int:
    """Erase a batch of the notes and comments whose deletion can't be undone any more; returns how many."""
    return notes.erase_expired() + comments.erase_expired()
