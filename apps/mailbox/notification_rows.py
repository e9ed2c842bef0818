"""The rows behind notifications: one of each thing for a person, and one for each actor in it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Greatest
from django.utils import timezone

from apps.mailbox import people
from apps.mailbox.models import MAX_NAMES, MAX_TEXT_LENGTH, Notification, NotificationActor
from apps.mailbox.notices import Notice
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate

#: Rows of one INSERT.
INSERT_BATCH_SIZE = 500
THING = ["recipient", "kind", "target_kind", "target_id"]


class Known(NamedTuple):
    """What decides about a notification: block, settings, and its row so far, None without one."""

    is_apart: bool
    deliveries: dict[str, str] | None
    row_id: int | None
    recent_actors: str | None
    is_unread: bool


@CompiledQuery
def _query_known(
    recipient: int, actor: int, kind: str, target_kind: str, target_id: int
) -> QuerySet[Any, tuple[Any, ...]]:
    row = Notification.objects.about(recipient, kind, target_kind, target_id)
    return (
        get_user_model()
        .objects.filter(pk=recipient)
        .values_list(
            people.directory().hears_nothing(recipient, actor),
            "mailbox_preferences__deliveries",
            Subquery(row.values("pk")),
            Subquery(row.values("recent_actors")),
            Exists(row.unread()),
        )
    )


@CompiledInsert
def _insert_row(
    recipient: int, kind: str, target_kind: str, target_id: int, text: str, at: datetime
) -> Notification:
    return Notification(
        recipient_id=recipient,
        kind=kind,
        target_kind=target_kind,
        target_id=target_id,
        text=text,
        latest_at=at,
    )


@CompiledInsert
def _insert_actor(row_id: int, actor: int, at: datetime) -> NotificationActor:
    return NotificationActor(notification_id=row_id, actor_id=actor, at=at)


@CompiledUpdate
def _add_actor(row_id: int, recent: str, text: str, at: datetime) -> Change:
    more = {"actor_count": F("actor_count") + 1, "recent_actors": recent}
    return Notification.objects.filter(pk=row_id), more | {"text": text, "latest_at": at}


@CompiledUpdate
def _renew(row_id: int, text: str, at: datetime) -> Change:
    return Notification.objects.filter(pk=row_id), {"text": text, "latest_at": at}


def read_known(notice: Notice) -> Known | None:
    """What SQL knows of the recipient and of this thing; None when there is no such person."""
    thing = (notice.kind.value, notice.target_kind, notice.target_id)
    found = _query_known(notice.recipient_id, notice.actor_id or 0, *thing)
    return Known(*found[0]) if found else None


@transaction.atomic(savepoint=False)
def write(notice: Notice, known: Known) -> None:
    """Write a notification: a new row, or a new share in a row that there is."""
    now, text = timezone.now(), notice.text[:MAX_TEXT_LENGTH].replace("\x00", "")
    thing = (notice.recipient_id, notice.kind.value, notice.target_kind, notice.target_id)
    row_id, recent = _lock_row(thing, known, text, now)
    if notice.actor_id and _insert_actor(row_id, notice.actor_id, now):
        _add_actor(row_id, _prepend(notice.actor_id, recent), text, now)
    elif known.row_id:
        _renew(row_id, text, now)


def _lock_row(thing: tuple[int, str, str, int], known: Known, text: str, now: datetime) -> tuple[int, str]:
    """(id, latest actors) of the row of a thing, made if missing; locked until the commit."""
    if known.row_id and not connection.features.has_select_for_update:
        # SQLite has one writer: what was read in this transaction still holds.
        return known.row_id, known.recent_actors or ""
    rows = Notification.objects.about(*thing).select_for_update(no_key=True)
    while True:
        if found := rows.values_list("pk", "recent_actors").first():
            return found
        # Another one may make it first, or end it before it is locked.
        if row_id := _insert_row(*thing, text, now):
            return row_id, ""


def upsert(notices: Sequence[Notice]) -> None:
    """Write the rows of many notices without actors, a few hundred a query."""
    now = timezone.now()
    rows = [
        Notification(
            recipient_id=notice.recipient_id,
            kind=notice.kind,
            target_kind=notice.target_kind,
            target_id=notice.target_id,
            text=notice.text[:MAX_TEXT_LENGTH].replace("\x00", ""),
            latest_at=now,
        )
        for notice in notices
    ]
    Notification.objects.bulk_create(
        rows,
        batch_size=INSERT_BATCH_SIZE,
        update_conflicts=True,
        unique_fields=THING,
        update_fields=["text", "latest_at"],
    )


def find_hearing(recipient_ids: Collection[int], actor_id: int) -> list[int]:
    """The ids among these that may be notified of the actor: no block between, not the actor; one query."""
    people_found = get_user_model().objects.filter(pk__in=recipient_ids, is_active=True).exclude(pk=actor_id)
    hearing = people_found.filter(~people.directory().hears_nothing(OuterRef("pk"), actor_id))
    return list(hearing.order_by("pk").values_list("pk", flat=True))


def join_actor(notices: Sequence[Notice]) -> None:
    """Add the actor to the rows of one thing that `upsert` wrote for many people; three queries."""
    first = notices[0]
    rows = Notification.objects.filter(
        recipient__in=[notice.recipient_id for notice in notices],
        kind=first.kind,
        target_kind=first.target_kind,
        target_id=first.target_id,
    )
    actors = [
        NotificationActor(notification_id=pk, actor_id=first.actor_id or 0)
        for pk in rows.values_list("pk", flat=True)
    ]
    NotificationActor.objects.bulk_create(actors, batch_size=INSERT_BATCH_SIZE, ignore_conflicts=True)
    counted = NotificationActor.objects.filter(notification=OuterRef("pk")).order_by().values("notification")
    count = Subquery(counted.annotate(many=Count("pk")).values("many"))
    # The others of a row that was there before are counted, and no longer named.
    rows.update(actor_count=count, recent_actors=str(first.actor_id))


def take_back(notice: Notice) -> bool:
    """Take an actor's share out of a row, and the row itself with its last one; whether there was any."""
    thing = (notice.recipient_id, notice.kind.value, notice.target_kind, notice.target_id)
    row = Notification.objects.about(*thing).select_for_update().first()
    if row is None:
        return False
    if notice.actor_id is None:
        row.delete()
        return True
    gone, _by_model = row.actor_rows.filter(actor=notice.actor_id).delete()
    if gone:
        _close_ranks(row)
    return bool(gone)


def take_back_all(recipient_id: int, *, actor_id: int) -> bool:
    """Take an actor's shares out of all notifications of a person; whether there were any."""
    shares = NotificationActor.objects.filter(notification__recipient=recipient_id, actor=actor_id)
    rows = Notification.objects.select_for_update().filter(pk__in=shares.values("notification"))
    locked = list(rows.order_by("pk"))
    taken = shares.filter(notification__in=locked)
    row_ids = set(taken.values_list("notification_id", flat=True))
    taken.delete()
    for row in locked:
        if row.pk in row_ids:
            _close_ranks(row)
    return bool(row_ids)


def _close_ranks(row: Notification) -> None:
    """Let a row speak of the actors who are left: it is as old, and as unread, as the last of them."""
    left = list(row.actor_rows.order_by("-at", "-pk").values_list("actor", "at")[:MAX_NAMES])
    if not left:
        row.delete()
        return
    row.recent_actors, row.latest_at = ",".join(str(actor) for actor, _at in left), left[0][1]
    row.actor_count = Greatest(F("actor_count") - 1, len(left))
    row.save(update_fields=["recent_actors", "latest_at", "actor_count"])


def _prepend(actor_id: int, recent: str) -> str:
    """The ids of the latest actors with this one before the others."""
    others = [one for one in recent.split(",") if one and one != str(actor_id)]
    return ",".join([str(actor_id), *others][:MAX_NAMES])
