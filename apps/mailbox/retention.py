"""Deletes notifications that are older than the history that people see."""

from django.db import transaction
from django.utils import timezone

from apps.mailbox.copies import changes
from apps.mailbox.copies.merging import RETENTION
from apps.mailbox.models import Notification
from apps.queues import owed

#: Rows of one DELETE.
DELETE_BATCH_SIZE = 500


def delete_expired() -> int:
    """Delete notifications to which nothing happened for 90 days; returns how many."""
    gone = 0
    while some := _delete_batch():
        gone += some
    return gone


@transaction.atomic
def _delete_batch() -> int:
    old = Notification.objects.filter(latest_at__lt=timezone.now() - RETENTION).order_by("latest_at")
    some = list(old.values_list("pk", "recipient")[:DELETE_BATCH_SIZE])
    Notification.objects.filter(pk__in=[pk for pk, _recipient in some]).delete()
    owed.run_after_commit(changes.publish, {recipient for _pk, recipient in some})
    return len(some)
