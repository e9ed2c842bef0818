"""Tells people something, in the transaction of what causes it, and takes it back.

    notifications.notify(Notice(author_id, Kind.LIKE, actor_id=7, target_kind="note", target_id=12))

A person has one row of each thing: another actor joins it, and what happens again makes it unread again.
Nothing is written for the actor's own eyes, for people apart by a block, and for kinds that are switched off.
Text messages and pushes leave through the outbox, after quiet hours. After the commit the person's copies in
Redis are deleted and their open pages hear of it, in one round trip.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Greatest
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.mailbox import copies, people, push
from apps.mailbox.models import MAX_NAMES, MAX_TEXT_LENGTH, Notification, NotificationActor, Preferences
from apps.mailbox.notices import Delivery, Notice, choose_delivery
from apps.mailbox.people import Person
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues import owed
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate

#: Rows of one INSERT, and of one DELETE.
INSERT_BATCH_SIZE = DELETE_BATCH_SIZE = 500
THING = ["recipient", "kind", "target_kind", "target_id"]


def notify(*notices: Notice, owes: bool = True) -> list[int]:
    """Tell people something, in the caller's transaction; returns the ids of those who have news now.

    Several notices have one kind and one actor, or none; with an actor they are about one thing. They take a
    constant number of queries. Of a text 200 characters are kept. Without `owes` the caller owes
    `copies.publish` for these people, in an effect with others of its own.
    """
    is_act = len(notices) == 1 and notices[0].actor_id
    told = _write_of_actor(notices[0]) if is_act else _write_many(notices)
    if told and owes:
        owed.run_after_commit(copies.publish, told, notices[0].kind)
    return told


def take_back(notice: Notice, *, owes: bool = True) -> list[int]:
    """Take back the actor's share of a notification, or without an actor all of it, as `notify` wrote it."""
    told = [notice.recipient_id] if _erase(notice) else []
    if told and owes:
        owed.run_after_commit(copies.publish, told, notice.kind)
    return told


def erase_between(user_id: int, other_id: int) -> None:
    """Take two people's shares out of each other's notifications, as a block does; in a transaction."""
    with transaction.atomic():
        pairs = sorted([(user_id, other_id), (other_id, user_id)])
        changed = [one for one, other in pairs if _erase_shares(one, actor_id=other)]
        if changed:
            owed.run_after_commit(copies.publish, changed)


def erase_actor(actor_id: int, limit: int) -> int:
    """Take a person's shares out of the notifications of at most `limit` others; returns of how many."""
    shares = NotificationActor.objects.filter(actor=actor_id).order_by().values("notification__recipient")
    others = [row["notification__recipient"] for row in shares.distinct()[:limit]]
    with transaction.atomic():
        for recipient_id in sorted(others):
            _erase_shares(recipient_id, actor_id=actor_id)
        owed.run_after_commit(copies.publish, others)
    return len(others)


def erase_targets(target_kind: str, target_ids: Collection[int]) -> None:
    """Delete all notifications about things that are gone, in the caller's transaction."""
    rows = Notification.objects.filter(target_kind=target_kind, target_id__in=target_ids)
    recipients = set(rows.values_list("recipient_id", flat=True))
    if recipients:
        rows.delete()
        owed.run_after_commit(copies.publish, recipients)


def delete_expired() -> int:
    """Delete notifications to which nothing happened for 90 days; returns how many."""
    gone = 0
    while deleted := _delete_expired_batch():
        gone += deleted
    return gone


@transaction.atomic
def _delete_expired_batch() -> int:
    old = Notification.objects.filter(latest_at__lt=timezone.now() - copies.RETENTION).order_by("latest_at")
    batch = list(old.values_list("pk", "recipient")[:DELETE_BATCH_SIZE])
    Notification.objects.filter(pk__in=[pk for pk, _recipient in batch]).delete()
    owed.run_after_commit(copies.publish, {recipient for _pk, recipient in batch})
    return len(batch)


# One actor's act on one thing: a like, a follow, a comment.


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


@CompiledQuery
def _query_locked(
    recipient: int, kind: str, target_kind: str, target_id: int
) -> QuerySet[Notification, tuple[int, str]]:
    rows = Notification.objects.about(recipient, kind, target_kind, target_id)
    return rows.select_for_update(no_key=True).values_list("pk", "recent_actors")


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


def _write_of_actor(notice: Notice) -> list[int]:
    """Write a notification of one actor; the recipient's id, or nothing where it isn't wanted."""
    actor_id, thing = notice.actor_id or 0, notice.thing
    rows = _query_known(notice.recipient_id, actor_id, *thing) if actor_id != notice.recipient_id else []
    known = Known(*rows[0]) if rows else None
    if known is None or known.is_apart:
        return []
    delivery = choose_delivery(known.deliveries, notice.kind)
    if delivery == Delivery.OFF:
        return []
    _add_share(notice, actor_id, known)
    if delivery == Delivery.SMS and not known.is_unread:
        _post_texts([notice], Preferences.objects.of_people([notice.recipient_id]))
    return [notice.recipient_id]


@transaction.atomic(savepoint=False)
def _add_share(notice: Notice, actor_id: int, known: Known) -> None:
    """Write a new row, or a new share in a row that there is."""
    now, text = timezone.now(), _clean(notice.text)
    row_id, recent = _lock_row(notice, known, text, now)
    if _insert_actor(row_id, actor_id, now):
        _add_actor(row_id, _prepend(actor_id, recent), text, now)
    elif known.row_id:
        _renew(row_id, text, now)


def _lock_row(notice: Notice, known: Known, text: str, now: datetime) -> tuple[int, str]:
    """(id, latest actors) of a notice's row, made if missing; locked until the commit."""
    if known.row_id and not connection.features.has_select_for_update:
        # SQLite has one writer: what was read in this transaction still holds.
        return known.row_id, known.recent_actors or ""
    while True:
        if found := _query_locked(notice.recipient_id, *notice.thing):
            return found[0]
        # Another one may make it first, or end it before it is locked.
        if row_id := _insert_row(notice.recipient_id, *notice.thing, text, now):
            return row_id, ""


def _prepend(actor_id: int, recent: str) -> str:
    """The ids of the latest actors with this one before the others."""
    others = [one for one in recent.split(",") if one and one != str(actor_id)]
    return ",".join([str(actor_id), *others][:MAX_NAMES])


def _clean(text: str) -> str:
    return text[:MAX_TEXT_LENGTH].replace("\x00", "")


# Many people at once: an invitation to a chat, orders, the site's messages.


def _write_many(notices: Sequence[Notice]) -> list[int]:
    """Write notices of one kind; the ids of the people who want them."""
    actor_id = notices[0].actor_id if notices else None
    ids = {notice.recipient_id for notice in notices}
    chosen = Preferences.objects.of_people(_find_hearing(ids, actor_id) if actor_id else ids) if ids else {}
    wanted = [
        notice
        for notice in sorted(notices, key=lambda notice: notice.recipient_id)
        if notice.recipient_id in chosen and chosen[notice.recipient_id].delivery(notice.kind) != Delivery.OFF
    ]
    if wanted:
        _upsert(wanted)
        if actor_id:
            _join_actor(wanted, actor_id)
        _post_texts(wanted, chosen)
        push.post_pushes(wanted, chosen)
    return [notice.recipient_id for notice in wanted]


def _find_hearing(recipient_ids: Collection[int], actor_id: int) -> list[int]:
    """The ids among these that may be notified of the actor: no block between, not the actor; one query."""
    active = get_user_model().objects.filter(pk__in=recipient_ids, is_active=True).exclude(pk=actor_id)
    hearing = active.filter(~people.directory().hears_nothing(OuterRef("pk"), actor_id))
    return list(hearing.order_by("pk").values_list("pk", flat=True))


def _upsert(notices: Sequence[Notice]) -> None:
    """Write the rows of many notices without actors, a few hundred a query."""
    now = timezone.now()
    rows = [
        Notification(
            recipient_id=notice.recipient_id,
            kind=notice.kind,
            target_kind=notice.target_kind,
            target_id=notice.target_id,
            text=_clean(notice.text),
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


def _join_actor(notices: Sequence[Notice], actor_id: int) -> None:
    """Add the actor to the rows of one thing that `_upsert` wrote for many people; three queries."""
    first = notices[0]
    rows = Notification.objects.filter(
        recipient__in=[notice.recipient_id for notice in notices],
        kind=first.kind,
        target_kind=first.target_kind,
        target_id=first.target_id,
    )
    actors = [
        NotificationActor(notification_id=pk, actor_id=actor_id) for pk in rows.values_list("pk", flat=True)
    ]
    NotificationActor.objects.bulk_create(actors, batch_size=INSERT_BATCH_SIZE, ignore_conflicts=True)
    counted = NotificationActor.objects.filter(notification=OuterRef("pk")).order_by().values("notification")
    count = Subquery(counted.annotate(actors=Count("pk")).values("actors"))
    # The others of a row that was there before are counted, and no longer named.
    rows.update(actor_count=count, recent_actors=str(actor_id))


# What is taken back.


def _erase(notice: Notice) -> bool:
    """Take an actor's share out of a row, and the row itself with its last one; whether there was any."""
    row = Notification.objects.about(notice.recipient_id, *notice.thing).select_for_update().first()
    if row is None:
        return False
    if notice.actor_id is None:
        row.delete()
        return True
    gone, _by_model = row.actor_rows.filter(actor=notice.actor_id).delete()
    if gone:
        _name_remaining_actors(row)
    return bool(gone)


def _erase_shares(recipient_id: int, *, actor_id: int) -> bool:
    """Take an actor's shares out of all notifications of a person; whether there were any."""
    shares = NotificationActor.objects.filter(notification__recipient=recipient_id, actor=actor_id)
    rows = Notification.objects.select_for_update().filter(pk__in=shares.values("notification"))
    locked = list(rows.order_by("pk"))
    taken = shares.filter(notification__in=locked)
    row_ids = set(taken.values_list("notification_id", flat=True))
    taken.delete()
    for row in locked:
        if row.pk in row_ids:
            _name_remaining_actors(row)
    return bool(row_ids)


def _name_remaining_actors(row: Notification) -> None:
    """Let a row speak of the actors who are left: it is as old, and as unread, as the last of them."""
    left = list(row.actor_rows.order_by("-at", "-pk").values_list("actor", "at")[:MAX_NAMES])
    if not left:
        row.delete()
        return
    row.recent_actors, row.latest_at = ",".join(str(actor) for actor, _at in left), left[0][1]
    row.actor_count = Greatest(F("actor_count") - 1, len(left))
    row.save(update_fields=["recent_actors", "latest_at", "actor_count"])


# Text messages, through the outbox.


def _post_texts(notices: Sequence[Notice], chosen: Mapping[int, Preferences]) -> None:
    """Post the text messages of the given notices to those who want one, in the caller's transaction."""
    wanted = [
        notice
        for notice in notices
        if not notice.is_site_only and chosen[notice.recipient_id].delivery(notice.kind) == Delivery.SMS
    ]
    nameless = {notice.recipient_id for notice in wanted if notice.sms is None}
    persons = people.directory().load(nameless) if nameless else {}
    messages = [
        (notice.recipient_id, notice.sms or _build_text(notice, persons[notice.recipient_id]))
        for notice in wanted
        if notice.sms or notice.recipient_id in persons
    ]
    now = timezone.now()
    delayed = [
        replace(message, after=chosen[user_id].end_of_quiet_hours(now)) for user_id, message in messages
    ]
    outbox.post_many(message for message in delayed if not message.is_too_late)


def _build_text(notice: Notice, person: Person) -> OutgoingMessage:
    """A short message that leads to the list, for kinds whose cause has no words of its own."""
    with translation.override(person.language):
        values = {
            "site": settings.SITE_NAME,
            "kind": notice.kind.label,
            "url": settings.SITE_URL + reverse("mailbox:list"),
        }
        text = _("%(site)s has something new for you (%(kind)s): %(url)s") % values
    key = f"mailbox:{notice.recipient_id}:{notice.kind}:{notice.target_kind}:{notice.target_id}"
    moment = f"{timezone.now():%Y%m%dT%H%M%S%f}"
    return OutgoingMessage(channel=Channel.SMS, to=person.phone, text=text, key=f"{key}:{moment}")
