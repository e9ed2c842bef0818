"""Deletes rows of failed tasks that were run again long ago."""

from datetime import timedelta

from django.utils import timezone

from apps.queues.models import DeadTask

#: Time after which a failed task that was run again is deleted.
REPLAYED_RETENTION = timedelta(days=30)


def delete_expired() -> int:
    """Delete the failed tasks that were run again more than REPLAYED_RETENTION ago; return how many."""
    return DeadTask.objects.filter(replayed_at__lt=timezone.now() - REPLAYED_RETENTION).delete()[0]
