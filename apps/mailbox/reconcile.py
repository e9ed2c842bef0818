"""Compares the copies of unread counts in Redis, and the counts of actors, with SQL's rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F

from apps.mailbox import keys
from apps.mailbox.broadcasts import merging
from apps.mailbox.copies import changes, newest, unread
from apps.mailbox.models import Notification
from apps.monitoring.reconcile import parts
from apps.monitoring.reconcile.parts import Finding
from apps.redis_kit import client, schema

#: People compared at a time.
BATCH_PEOPLE = 500


@dataclass(frozen=True)
class Drift:
    """A person's "unread" count or "newest" list in Redis, or the "actors" of one of their notifications."""

    user_id: int
    aspect: str
    actual: str
    expected: str


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Yield every difference from SQL's rows, each checked twice; with `fix` they are repaired."""
    yield from _check_actors(fix=fix)
    for user_ids in _iter_user_id_batches():
        suspects = [found.user_id for found in _differing_heads(user_ids)]
        for found in _differing_heads(suspects):
            if fix:
                changes.publish([found.user_id])
            yield found
    yield from _check_newest(fix=fix)
    yield from _check_broadcasts(fix=fix)


def _check_newest(*, fix: bool) -> Iterator[Drift]:
    """The lists of the newest notifications, each compared twice, with the rows."""
    for user_ids in _iter_user_id_batches(keys.NEWEST):
        suspects = [user_id for user_id in user_ids if _newest_differ(user_id)]
        for user_id in filter(_newest_differ, suspects):
            if fix:
                changes.publish([user_id])
            yield Drift(user_id, "newest", "another list", "the newest notifications")


def _newest_differ(user_id: int) -> bool:
    copied = newest.read_copy(user_id)
    return copied is not None and copied != newest.read_from_sql(user_id)


def _check_broadcasts(*, fix: bool) -> Iterator[Drift]:
    """The broadcasts that all readers merge, compared twice; person 0 stands for everybody."""
    if merging.differ() and merging.differ():
        if fix:
            merging.forget()
        yield Drift(0, "broadcasts", "another list", "the broadcasts of the last 90 days")


def _check_actors(*, fix: bool) -> Iterator[Drift]:
    rows = Notification.objects.annotate(rows=Count("actor_rows")).exclude(actor_count=F("rows"))
    for pk in list(rows.values_list("pk", flat=True)):
        yield from _recheck_actors(pk, fix=fix)


@transaction.atomic
def _recheck_actors(notification_id: int, *, fix: bool) -> list[Drift]:
    """Compare one notification again while it is locked."""
    row = Notification.objects.select_for_update().filter(pk=notification_id).first()
    expected = row.actor_rows.count() if row else 0
    if row is None or row.actor_count == expected:
        return []
    found = Drift(row.recipient_id, "actors", str(row.actor_count), str(expected))
    if fix:
        row.actor_count = expected
        row.save(update_fields=["actor_count"])
    return [found]


def _differing_heads(user_ids: list[int]) -> list[Drift]:
    copied = unread.read_heads(user_ids)
    expected = unread.heads_from_sql(copied)
    return [
        Drift(user_id, "unread", str(head.unread_rows), str(expected[user_id].unread_rows))
        for user_id, head in copied.items()
        if head != expected[user_id]
    ]


def _iter_user_id_batches(declared: schema.Key = keys.HEAD) -> Iterator[list[int]]:
    """Ids of the people who have such a copy, in lists of at most BATCH_PEOPLE; the last may be empty."""
    batch: list[int] = []
    for name in client.get().scan_iter(match=declared.scan_pattern, count=BATCH_PEOPLE):
        owner = str(name).partition("{")[2].partition("}")[0]
        # Everybody's broadcasts have the same form as a person's newest.
        if owner.isdigit():
            batch.append(int(owner))
        if len(batch) == BATCH_PEOPLE:
            yield batch
            batch = []
    yield batch


def register() -> None:
    """Register the part; called when the app is ready."""
    about = "notifications: unread counts, newest lists, broadcasts, numbers of actors"
    parts.register("mailbox.notifications", _check, about=about, count=Notification.objects.count)


def _check(fix: bool) -> Iterator[Finding]:
    for found in drift(fix=fix):
        yield Finding(f"person {found.user_id}", found.aspect, found.actual, found.expected)
