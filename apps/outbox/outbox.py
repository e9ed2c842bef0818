"""Messages that are sent if, and only if, the transaction that writes them commits.

    outbox.post(channel=Channel.SMS, to=user.phone, text=_("…"), key=f"order:{order.pk}:paid")

Each `key` has one row, however often it is posted. After the commit a delayed job tells the workers. A crash
in between, or a broker that is away, costs seconds: a sweep finds rows that are due. A message arrives at
least once; twice only when a worker dies, or loses SQL, between the provider's acceptance and its record.
Secrets that live for minutes (log-in codes) don't belong here, since rows stay.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from apps.outbox import models
from apps.outbox.models import Channel, Message
from apps.queues import delayed
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client, fault_injection
from apps.web import on_commit

#: Rows of one INSERT.
INSERT_BATCH_SIZE = 500

SEND_TASK = "outbox.send"
#: Messages of one task: a provider may need seconds for each.
MAX_BATCH_MESSAGES = 20
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class OutgoingMessage:
    """A message to post: `to` is an E.164 phone or an e-mail address, `text` in the reader's language.

    `until`: a time after which the message fails instead of arriving late; `after`: a time before which it
    isn't sent.
    """

    channel: Channel
    to: str
    text: str
    key: str
    subject: str = ""
    priority: Priority = Priority.NORMAL
    until: datetime | None = None
    after: datetime | None = None

    @property
    def is_too_late(self) -> bool:
        """Whether it could be sent only after the time that it is worth sending until."""
        return bool(self.after and self.until and self.until < self.after)


def post(
    *,
    channel: Channel,
    to: str,
    text: str,
    key: str,
    subject: str = "",
    priority: Priority = Priority.NORMAL,
    until: datetime | None = None,
) -> None:
    """Write one message in the caller's transaction, unless one of that key exists.

    ValueError for an empty text or key and for what is too long; a wrong address fails when it is sent.
    """
    post_many(
        [
            OutgoingMessage(
                channel=channel,
                to=to,
                text=text,
                key=key,
                subject=subject,
                priority=priority,
                until=until,
            )
        ]
    )


def post_many(messages: Iterable[OutgoingMessage]) -> None:
    """`post` for many messages, a few hundred rows a query; ValueError before any is written."""
    listed = list(messages)
    rows = [_message_row(message) for message in listed]
    Message.objects.bulk_create(rows, batch_size=INSERT_BATCH_SIZE, ignore_conflicts=True)
    for (priority, after), keys in _group_keys(listed).items():
        on_commit.run_after_commit(enqueue, keys, priority=priority, at=after)


def existing_keys(keys: Iterable[str]) -> set[str]:
    """Which of the given keys have a message, sent or not; sent ones are kept for a limited time."""
    return set(Message.objects.filter(key__in=list(keys)).values_list("key", flat=True))


def email_managers(*, subject: str, text: str, key: str) -> None:
    """Post an e-mail to each of settings.ADMINS, once for each `key`."""
    post_many(
        OutgoingMessage(channel=Channel.EMAIL, to=address, subject=subject, text=text, key=f"{key}:{address}")
        for _name, address in settings.ADMINS
    )


def _group_keys(messages: Iterable[OutgoingMessage]) -> dict[tuple[Priority, datetime | None], list[str]]:
    """The messages' keys by what their delayed jobs differ in, the most urgent first."""
    groups: dict[tuple[Priority, datetime | None], list[str]] = {}
    for message in sorted(messages, key=lambda message: message.priority):
        groups.setdefault((message.priority, message.after), []).append(message.key)
    return groups


def _message_row(message: OutgoingMessage) -> Message:
    limits = {
        "key": (message.key, models.KEY_LENGTH),
        "to": (message.to, models.TO_LENGTH),
        "text": (message.text, models.TEXT_LENGTH),
        "subject": (message.subject, models.SUBJECT_LENGTH),
    }
    for name, (value, most) in limits.items():
        if len(value) > most or not (value or name == "subject"):
            raise ValueError(f"outbox: {name} has {len(value)} characters, 1 to {most} are possible")
    words = {name: value.replace("\x00", "\ufffd") for name, (value, _) in limits.items()}
    priority, channel = Priority(message.priority), Channel(message.channel)
    due = {"next_try_at": message.after} if message.after else {}
    return Message(channel=channel, priority=priority, until=message.until, **words, **due)


def enqueue(keys: Sequence[str], *, priority: Priority, at: datetime | None = None) -> None:
    """Have workers send these messages now, or `at` a time; without the broker the sweep finds them."""
    fault_injection.point("posted")
    when = at or timezone.now()
    batches = [
        list(keys[first : first + MAX_BATCH_MESSAGES]) for first in range(0, len(keys), MAX_BATCH_MESSAGES)
    ]
    try:
        delayed.schedule_many(Job(SEND_TASK, [some], when, f"outbox:{some[0]}", priority) for some in batches)
    except client.UNAVAILABLE:
        log.warning("%d messages wait for the next sweep: the broker is away", len(keys))
