"""Tells people something, in the transaction of what causes it, and takes it back.

    notify(author_id, Kind.LIKE, actor_id=7, target_kind="note", target_id=12)

A person has one row of each thing: another actor joins it, and what happens again makes it unread again.
Nothing is written for the actor's own eyes, for people apart by a block, and for kinds that are switched off.
After the commit the person's copies in Redis are deleted, in one round trip.
"""

from collections.abc import Collection, Iterable

from django.db import transaction

from apps.mailbox import notification_rows, preferences, push_messages, text_messages
from apps.mailbox.copies import changes
from apps.mailbox.kinds import Delivery, Kind
from apps.mailbox.models import Notification, NotificationActor
from apps.mailbox.notices import Notice
from apps.queues import owed


def notify(
    recipient_id: int,
    kind: Kind,
    *,
    actor_id: int | None = None,
    target_kind: str = "",
    target_id: int = 0,
    text: str = "",
) -> None:
    """Tell a person something, in the caller's transaction; at most 200 characters of `text` are kept."""
    notice = Notice(
        recipient_id=recipient_id,
        kind=kind,
        actor_id=actor_id,
        target_kind=target_kind,
        target_id=target_id,
        text=text,
    )
    if write(notice):
        owed.run_after_commit(changes.publish, [recipient_id], kind)


def take_back(
    recipient_id: int,
    kind: Kind,
    *,
    actor_id: int | None = None,
    target_kind: str = "",
    target_id: int = 0,
) -> None:
    """Take back the actor's share of a notification, or without an actor all of it; in a transaction."""
    notice = Notice(
        recipient_id=recipient_id, kind=kind, actor_id=actor_id, target_kind=target_kind, target_id=target_id
    )
    if erase(notice):
        owed.run_after_commit(changes.publish, [recipient_id], kind)


def notify_people(
    recipient_ids: Collection[int],
    kind: Kind,
    *,
    actor_id: int,
    target_kind: str,
    target_id: int,
) -> None:
    """`notify` for many recipients of one actor's act on one thing; a constant number of queries."""
    heard_by = notification_rows.find_hearing(recipient_ids, actor_id)
    chosen = preferences.load(heard_by)
    wanted = [
        Notice(
            recipient_id=user_id, kind=kind, actor_id=actor_id, target_kind=target_kind, target_id=target_id
        )
        for user_id in heard_by
        if chosen[user_id].delivery(kind) != Delivery.OFF
    ]
    if wanted:
        notification_rows.upsert(wanted)
        notification_rows.join_actor(wanted)
        text_messages.post(wanted, chosen)
        push_messages.post(wanted, chosen)
        owed.run_after_commit(changes.publish, [notice.recipient_id for notice in wanted], kind)


def notify_many(notices: Iterable[Notice]) -> None:
    """`notify` for notices of one kind without actors; a constant number of queries."""
    listed = list(notices)
    chosen = preferences.load({notice.recipient_id for notice in listed})
    wanted = [
        notice for notice in listed if chosen[notice.recipient_id].delivery(notice.kind) != Delivery.OFF
    ]
    if wanted:
        notification_rows.upsert(wanted)
        text_messages.post(wanted, chosen)
        push_messages.post(wanted, chosen)
        recipients = [notice.recipient_id for notice in wanted]
        owed.run_after_commit(changes.publish, recipients, wanted[0].kind)


def erase_between(user_id: int, other_id: int) -> None:
    """Take two people's shares out of each other's notifications, as a block does; in a transaction."""
    with transaction.atomic():
        pairs = sorted([(user_id, other_id), (other_id, user_id)])
        changed = [one for one, other in pairs if notification_rows.take_back_all(one, actor_id=other)]
        if changed:
            owed.run_after_commit(changes.publish, changed)


def erase_actor(actor_id: int, most: int) -> int:
    """Take a person's shares out of the notifications of at most so many others; returns of how many."""
    shares = NotificationActor.objects.filter(actor=actor_id).order_by().values("notification__recipient")
    others = [row["notification__recipient"] for row in shares.distinct()[:most]]
    with transaction.atomic():
        for recipient_id in sorted(others):
            notification_rows.take_back_all(recipient_id, actor_id=actor_id)
        owed.run_after_commit(changes.publish, others)
    return len(others)


def erase_targets(target_kind: str, target_ids: Collection[int]) -> None:
    """Delete all notifications about things that are gone, in the caller's transaction."""
    rows = Notification.objects.filter(target_kind=target_kind, target_id__in=target_ids)
    recipients = set(rows.values_list("recipient_id", flat=True))
    if recipients:
        rows.delete()
        owed.run_after_commit(changes.publish, recipients)


def write(notice: Notice) -> bool:
    """`notify` for a caller that sends `changes.commands` after the commit itself; whether to."""
    if notice.actor_id == notice.recipient_id:
        return False
    known = notification_rows.read_known(notice)
    if known is None or known.is_apart:
        return False
    delivery = preferences.choose_delivery(known.deliveries, notice.kind)
    if delivery == Delivery.OFF:
        return False
    notification_rows.write(notice, known)
    if delivery == Delivery.SMS and not known.is_unread:
        text_messages.post([notice], preferences.load([notice.recipient_id]))
    return True


def erase(notice: Notice) -> bool:
    """`take_back` for a caller that sends `changes.commands` after the commit itself; whether to."""
    return notification_rows.take_back(notice)
