"""Sends and stops messages of the site's staff.

One to everybody, or to a city, is its row alone: readers merge it from the moment of the commit. One to a
list is written as a notification of each person, in batches that a worker takes one after the other.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.mailbox import copies, notifications, people
from apps.mailbox.copies import Announcement
from apps.mailbox.display import Target
from apps.mailbox.listing import BROADCAST
from apps.mailbox.models import Audience, Broadcast, Notification
from apps.mailbox.notices import Kind, Notice
from apps.queues import delayed, owed
from apps.redis_kit import client
from apps.web import object_urls
from apps.web.problems import Problem

#: tasks.write_batch by its name: it imports this.
TASK_NAME = "mailbox.write_batch"
#: People of a list who are told in one transaction.
BATCH_PEOPLE = 500
#: People of one list; more are a city's, or everybody.
MAX_PEOPLE = 100_000


def send(broadcast_id: int) -> Broadcast:
    """Send a draft; Problem 409 when it was sent already, 422 for a list without people."""
    with transaction.atomic():
        found = Broadcast.objects.select_for_update().get(pk=broadcast_id)
        if found.state != Broadcast.State.DRAFT:
            raise Problem(409, "already_sent", _("This message was sent already."))
        if found.audience == Audience.LIST and not found.people:
            raise Problem(422, "nobody", _("There is nobody on the list."))
        found.state, found.sent_at = Broadcast.State.SENT, timezone.now()
        found.save(update_fields=["state", "sent_at"])
        owed.run_after_commit(after_change, found.pk)
    return found


def stop(broadcast_id: int) -> bool:
    """Take a message back from everybody who has it; returns whether it was on its way."""
    with transaction.atomic():
        sent = Broadcast.objects.filter(pk=broadcast_id, state=Broadcast.State.SENT)
        stopped = sent.update(state=Broadcast.State.STOPPED)
        if stopped:
            owed.run_after_commit(after_change, broadcast_id)
    return bool(stopped)


def work_on(broadcast_id: int) -> int:
    """Notify a batch of a list's people, or take a stopped one back from them; their number, 0 at the end."""
    with transaction.atomic():
        found = Broadcast.objects.select_for_update().filter(pk=broadcast_id, audience=Audience.LIST).first()
        if found is None or found.state == Broadcast.State.DRAFT:
            return 0
        return _tell_next(found) if found.state == Broadcast.State.SENT else _untell_some(found)


def unfinished_ids() -> list[int]:
    """Ids of unfinished lists, whose task may be lost; beat starts them again."""
    lists = Broadcast.objects.filter(audience=Audience.LIST, state=Broadcast.State.SENT)
    return list(lists.filter(written__lt=F("people_count")).values_list("pk", flat=True))


def after_change(broadcast_id: int) -> None:
    """Update everybody's open copies of a message that was sent or stopped, or notify a list's people."""
    found = Broadcast.objects.get(pk=broadcast_id)
    if found.audience != Audience.LIST:
        copies.BROADCASTS.forget([copies.EVERYBODY])
        return
    enqueue(found.pk)


def enqueue(broadcast_id: int) -> None:
    """Have a worker tell the people of a list; while the broker is away the sweep does."""
    try:
        job = delayed.Job(TASK_NAME, [broadcast_id], timezone.now(), f"mailbox:broadcast:{broadcast_id}")
        delayed.schedule_many([job])
    except client.UNAVAILABLE:
        return


def _tell_next(found: Broadcast) -> int:
    people: list[int] = found.people[found.written : found.written + BATCH_PEOPLE]
    notifications.notify(
        *(
            Notice(recipient_id=user_id, kind=Kind.SITE, target_kind=BROADCAST, target_id=found.pk)
            for user_id in people
        )
    )
    Broadcast.objects.filter(pk=found.pk).update(written=F("written") + len(people))
    return len(people)


def _untell_some(found: Broadcast) -> int:
    rows = Notification.objects.filter(target_kind=BROADCAST, target_id=found.pk)
    some = list(rows.values_list("pk", "recipient")[:BATCH_PEOPLE])
    Notification.objects.filter(pk__in=[pk for pk, _recipient in some]).delete()
    owed.run_after_commit(copies.publish, [recipient for _pk, recipient in some])
    return len(some)


class BroadcastTargets:
    """The titles of messages that were sent and not stopped."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Each leads to its own page."""
        rows = Broadcast.objects.filter(state=Broadcast.State.SENT).in_bulk(ids)
        return {
            pk: Target(found.title, object_urls.build("mailbox:broadcast", pk)) for pk, found in rows.items()
        }


def find_broadcast(broadcast_id: int, user_id: int) -> Broadcast:
    """A message that was sent to this person; Http404."""
    found = Broadcast.objects.filter(pk=broadcast_id, state=Broadcast.State.SENT).first()
    if found is None or not _is_for(found, user_id):
        raise Http404
    return found


def _is_for(found: Broadcast, user_id: int) -> bool:
    if found.audience == Audience.LIST:
        return Notification.objects.about(user_id, Kind.SITE, BROADCAST, found.pk).exists()
    sent_at = found.sent_at.timestamp() if found.sent_at else 0
    about = Announcement(found.pk, sent_at, people.directory().city_key(found.city))
    return copies.heads_from_sql([user_id])[user_id].reader.may_read(about)
