from datetime import timedelta

from django.utils import timezone

from apps.queues.models import DeadTask

#: How long a dead task is kept after it was run again.
REPLAYED_RETENTION = timedelta(days=30)


def delete_expired() -> int:
    """Forget what was run again long ago; what waits for a person stays. Returns how many."""
    return DeadTask.objects.filter(replayed_at__lt=timezone.now() - REPLAYED_RETENTION).delete()[0]
