"""Celery tasks of chats: news that are pushed, and the hourly removal of pictures that no message has."""

from celery import shared_task

from apps.chat import pictures
from apps.chat.publishing import push_news

__all__ = ["push_news", "tidy_pictures"]


@shared_task(name="chat.tidy_pictures")
def tidy_pictures() -> int:
    """Delete pictures that no message has, or has any more; returns their number."""
    return pictures.delete_expired()
