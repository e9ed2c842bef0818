"""What leaves after the commit of a message.

Open streams of a chat get each message once, in the order of its number. Browsers of members who are away get
one push for a chat, until the person has seen more of it.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from enum import IntEnum
from typing import Any, NamedTuple

from celery import shared_task
from celery.exceptions import Retry
from django.conf import settings
from django.db import transaction
from django.db.models import Exists
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import NoScriptError

from apps.accounts.relations import contacts
from apps.chat import keys, mentions, schemas
from apps.chat.models import Member, Message
from apps.front.live import Topic
from apps.front.live.publishing import encode
from apps.front.live.topics import EVENTS_SECONDS, MAX_EVENTS
from apps.mailbox import push
from apps.mailbox.notices import Kind
from apps.redis_kit import client, scripts

#: A message that its sender has not published within this time, the reconciliation publishes.
SENDING_PERIOD = timedelta(minutes=1)
log = logging.getLogger(__name__)

PUBLISH_CHANGE = scripts.Script("tell_change", package="apps.chat", reply=bool)
#: Chats with news as a push names them: pages.notification_targets.
TARGET_KIND = "chat-news"


class Outcome(IntEnum):
    """What tell_messages.lua did."""

    PUBLISHED = 0
    ALREADY_PUBLISHED = 1
    INCOMPLETE = 2


class Reply(NamedTuple):
    """The outcome, and for INCOMPLETE the number of the last message that is in the stream."""

    outcome: Outcome
    last_number: int


def _parse(raw: Sequence[int]) -> Reply:
    return Reply(Outcome(raw[0]), raw[1])


PUBLISH_MESSAGES = scripts.Script("tell_messages", package="apps.chat", reply=_parse)


def topic(chat_id: int) -> Topic:
    """The topic that the live streams of a chat's members follow."""
    return Topic(f"c{chat_id}", keys.EVENTS(chat=chat_id))


def publish(message: Message, *, is_alone: bool, written_to: int | None = None) -> None:
    """Publish a committed message to the chat's live streams, after earlier ones that are missing there.

    `is_alone` when nothing was sent in the chat within SENDING_PERIOD before it: no earlier one can be
    missing. `written_to`, the other person of a chat of two, becomes the sender's newest contact in the same
    round trip.
    Without Redis nothing is published: pages load the message from SQL.
    """
    try:
        reply = _publish(message.chat_id, [message], is_complete=is_alone, written_to=written_to)
        if reply.outcome is Outcome.INCOMPLETE:
            catch_up(message.chat_id, reply.last_number)
    except client.UNAVAILABLE as error:
        log.warning("Redis is away: message %s is not published live (%s)", message, error)


def publish_change(chat_id: int, change: dict[str, Any]) -> None:
    """Publish a change that is no message, such as {"kind": "deleted", "number": 7}."""
    event = encode(change | {"chat_id": chat_id})
    args: list[scripts.Arg] = [topic(chat_id).channel, MAX_EVENTS, EVENTS_SECONDS, event]
    try:
        PUBLISH_CHANGE(client.get(), keys=[keys.EVENTS(chat=chat_id)], args=args)
    except client.UNAVAILABLE as error:
        log.warning("Redis is away: a change of chat %d is not published live (%s)", chat_id, error)


def catch_up(chat_id: int, last_number: int) -> None:
    """Publish the newest messages after a number from SQL; after 0 only those of the last SENDING_PERIOD."""
    rows = Message.objects.with_people().filter(chat=chat_id, number__gt=last_number)
    if not last_number:
        rows = rows.filter(created_at__gt=timezone.now() - SENDING_PERIOD)
    newest = list(rows.order_by("-number")[:MAX_EVENTS])
    mentions.attach(newest)
    if newest:
        _publish(chat_id, newest[::-1], is_complete=True)


def _publish(
    chat_id: int, messages: Sequence[Message], *, is_complete: bool, written_to: int | None = None
) -> Reply:
    args: list[scripts.Arg] = [topic(chat_id).channel, MAX_EVENTS, EVENTS_SECONDS, int(is_complete)]
    for message in messages:
        args += [message.number, encode(schemas.build_event(message))]
    author_id = messages[-1].author_id
    pair = (author_id, written_to) if author_id and written_to else None
    also = [contacts.touch_command(*pair)] if pair else []
    calls: list[scripts.Call] = [([keys.EVENTS(chat=chat_id)], args)]
    (reply,), touched = PUBLISH_MESSAGES.call_many(client.get(), calls, also=also)
    if pair and isinstance(touched[0], NoScriptError):
        contacts.touch(*pair)
    return reply


def announce(chat_id: int) -> bool:
    """Have a worker push a chat's news; called after the commit of a message.

    False when the broker is away.
    """
    if settings.VAPID_KEY is None:
        return True
    try:
        push_news.apply_async((chat_id,), retry=False)
    except (OperationalError, Retry):
        log.warning("news of chat %d is pushed later: the broker is away", chat_id)
        return False
    return True


@shared_task(name="chat.push_news")
def push_news(chat_id: int) -> int:
    """Post a chat's news to the members who have not seen them and did not mute it; returns their number."""
    news = Exists(Message.objects.news_of_outer_member())
    rows = Member.objects.filter(news, chat=chat_id, is_muted=False)
    seen = dict(rows.values_list("user", "seen_number"))
    with transaction.atomic():
        push.post_news(Kind.CHAT, TARGET_KIND, chat_id, seen)
    return len(seen)
