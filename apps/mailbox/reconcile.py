"""Compares the copies of unread counts and newest lists in Redis, and counts of actors, with SQL's rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from django.db import transaction
from django.db.models import Count, F

from apps.mailbox import keys
from apps.mailbox.copies import changes, merging, newest, unread
from apps.mailbox.models import Notification
from apps.monitoring.reconcile import parts
from apps.monitoring.reconcile.parts import Finding
from apps.redis_kit import client
from apps.web import batches

#: People compared at a time.
BATCH_PEOPLE = 500
#: Notifications whose actors are counted at a time.
BATCH_NOTIFICATIONS = 2_000


@dataclass(frozen=True)
class Drift:
    """A person's "unread" count or "newest" list in Redis, or the "actors" of one of their notifications."""

    user_id: int
    aspect: str
    actual: str
    expected: str


#: The last id of some rows, and their differences.
Batch = tuple[int, Iterator[Drift]]


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Yield every difference from SQL's rows, each checked twice; with `fix` they are repaired."""
    for walk in (_compare_actors, _compare_people, _compare_rest):
        for _last, found in walk(fix):
            yield from found


def _compare_actors(fix: bool, after: int = 0) -> Iterator[Batch]:
    for numbers in batches.iter_pk_chunks(Notification.objects.all(), BATCH_NOTIFICATIONS, after=after):
        yield numbers[-1], _check_actors(numbers, fix=fix)


def _compare_people(fix: bool, after: int = 0) -> Iterator[Batch]:
    recipients = Notification.objects.order_by("recipient").values_list("recipient", flat=True).distinct()
    while user_ids := list(recipients.filter(recipient__gt=after)[:BATCH_PEOPLE]):
        after = user_ids[-1]
        yield after, _check_copies(user_ids, fix=fix)


def _compare_rest(fix: bool, after: int = 0) -> Iterator[Batch]:
    """The broadcasts, and the copies of people who have no notifications."""
    others = (_check_copies(user_ids, fix=fix) for user_ids in _iter_others())
    yield after, chain(_check_broadcasts(fix=fix), chain.from_iterable(others))


def _check_copies(user_ids: list[int], *, fix: bool) -> Iterator[Drift]:
    """Unread counts and lists of the newest notifications in Redis, each compared twice with the rows."""
    suspects = [found.user_id for found in _differing_heads(user_ids)]
    for found in _differing_heads(suspects):
        if fix:
            changes.publish([found.user_id])
        yield found
    suspects = _differing_newest(user_ids)
    for user_id in _differing_newest(suspects):
        if fix:
            changes.publish([user_id])
        yield Drift(user_id, "newest", "another list", "the newest notifications")


def _differing_newest(user_ids: list[int]) -> list[int]:
    """Those of these people whose list in Redis, if there is one, differs from their rows."""
    copies = newest.read_copies(user_ids)
    return [user_id for user_id, copied in copies.items() if copied != newest.read_from_sql(user_id)]


def _check_broadcasts(*, fix: bool) -> Iterator[Drift]:
    """The broadcasts that all readers merge, compared twice; person 0 stands for everybody."""
    if merging.differ() and merging.differ():
        if fix:
            merging.forget()
        yield Drift(0, "broadcasts", "another list", "the broadcasts of the last 90 days")


def _check_actors(notification_ids: list[int], *, fix: bool) -> Iterator[Drift]:
    rows = Notification.objects.filter(pk__in=notification_ids).annotate(rows=Count("actor_rows"))
    for pk in list(rows.exclude(actor_count=F("rows")).values_list("pk", flat=True)):
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


def _iter_others() -> Iterator[list[int]]:
    """People who have a copy in Redis and no row, in lists."""
    for declared in (keys.HEAD, keys.NEWEST):
        names = client.get().scan_iter(match=declared.scan_pattern, count=BATCH_PEOPLE)
        owners = (str(name).partition("{")[2].partition("}")[0] for name in names)
        # Everybody's broadcasts have the same form as a person's newest.
        for some in batches.chunked((int(owner) for owner in owners if owner.isdigit()), BATCH_PEOPLE):
            rows = Notification.objects.filter(recipient__in=some)
            known = set(rows.values_list("recipient", flat=True))
            yield [user_id for user_id in some if user_id not in known]


def find_differences(fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
    """The differences of all walks, for the reconciliation of the site."""
    walks = (_compare_actors, _compare_people, _compare_rest)
    yield from parts.in_turn(*(partial(_as_findings, walk) for walk in walks))(fix, after)


def _as_findings(
    walk: Callable[[bool, int], Iterator[Batch]], fix: bool, after: int
) -> Iterator[tuple[int, Iterator[Finding]]]:
    for last, found in walk(fix, after):
        yield last, map(_finding, found)


def _finding(found: Drift) -> Finding:
    return Finding(f"person {found.user_id}", found.aspect, found.actual, found.expected)
