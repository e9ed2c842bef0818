"""Compares the numbers of actors of notifications with the rows that they count."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Count, F

from apps.mailbox.models import Notification
from apps.redis_kit.findings import Finding
from apps.web import batches

#: Notifications whose actors are counted at a time.
BATCH_NOTIFICATIONS = 2_000


def compare_actors(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of notifications past the id `after`, and its differences."""
    for numbers in batches.iter_pk_chunks(Notification.objects.all(), BATCH_NOTIFICATIONS, after=after):
        yield numbers[-1], _check_actors(numbers, fix=fix)


def _check_actors(notification_ids: list[int], *, fix: bool) -> Iterator[Finding]:
    rows = Notification.objects.filter(pk__in=notification_ids).annotate(rows=Count("actor_rows"))
    for pk in list(rows.exclude(actor_count=F("rows")).values_list("pk", flat=True)):
        yield from _recheck_actors(pk, fix=fix)


@transaction.atomic
def _recheck_actors(notification_id: int, *, fix: bool) -> list[Finding]:
    """Compare one notification again while it is locked."""
    row = Notification.objects.select_for_update().filter(pk=notification_id).first()
    expected = row.actor_rows.count() if row else 0
    if row is None or row.actor_count == expected:
        return []
    found = Finding(f"person {row.recipient_id}", "actors", str(row.actor_count), str(expected))
    if fix:
        row.actor_count = expected
        row.save(update_fields=["actor_count"])
    return [found]
