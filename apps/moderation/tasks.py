"""Scheduled tasks of moderation."""

from celery import shared_task

from apps.moderation import decisions


@shared_task(name="moderation.sweep_writings")
def sweep_writings() -> int | None:
    """Every ten seconds: go on hiding what banned people wrote, and showing it again after an undo."""
    return decisions.sweep()
