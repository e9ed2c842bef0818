"""Marks notifications as read: each when it is opened, or all at once."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from apps.mailbox.copies import changes, merging
from apps.mailbox.models import Notification, Preferences
from apps.queues import owed


def mark_read(user_id: int, ids: Collection[int] = (), *, broadcasts_to: int = 0) -> None:
    """Mark these notifications of a person as read, and the broadcasts up to that one.

    Ids of other people's notifications change nothing.
    """
    broadcasts_to = min(broadcasts_to, _newest_broadcast_id()) if broadcasts_to else 0
    rows = Notification.objects.filter(recipient=user_id, pk__in=ids)
    with transaction.atomic():
        _mark(user_id, rows.unread().update(read_to=F("latest_at")) if ids else 0, broadcasts_to)


def mark_all_read(user_id: int) -> None:
    """Mark everything that a person has as read; what comes in the same moment stays unread."""
    broadcasts_to = _newest_broadcast_id()
    with transaction.atomic():
        marked = Notification.objects.filter(recipient=user_id).unread().update(read_to=F("latest_at"))
        _mark(user_id, marked, broadcasts_to)


def _mark(user_id: int, marked: int, broadcasts_to: int) -> None:
    if broadcasts_to:
        Preferences.objects.get_or_create(pk=user_id)
        rows = Preferences.objects.filter(pk=user_id, broadcast_read_to__lt=broadcasts_to)
        marked += rows.update(broadcast_read_to=broadcasts_to)
    if marked:
        owed.run_after_commit(changes.publish, [user_id])


def _newest_broadcast_id() -> int:
    found = merging.read()
    return found[0].broadcast_id if found else 0
