"""Deleting old messages."""

from datetime import timedelta

from django.utils import timezone

from apps.outbox.models import Message, State

#: How long a message that was sent is kept: its key stops a second one for so long.
SENT_RETENTION = timedelta(days=90)
#: Rows of one DELETE.
DELETE_BATCH_SIZE = 1_000


def delete_expired() -> int:
    """Delete messages that were sent long ago; returns how many."""
    old = Message.objects.filter(state=State.SENT, sent_at__lt=timezone.now() - SENT_RETENTION).order_by("pk")
    gone = 0
    while some := list(old.values_list("pk", flat=True)[:DELETE_BATCH_SIZE]):
        gone += Message.objects.filter(pk__in=some).delete()[0]
    return gone
