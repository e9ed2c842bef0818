"""Notifications that leave the site for people's browsers, through the outbox; quiet hours put them off.

The message names the notification alone. What the browser shows is read when it is sent (push_delivery): what
was taken back or read until then is not sent, and the outbox keeps no word of it.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import product

from django.conf import settings
from django.utils import timezone

from apps.mailbox import preferences
from apps.mailbox.kinds import PUSH_KINDS, Delivery, Kind
from apps.mailbox.models import PushSubscription
from apps.mailbox.notices import Notice
from apps.mailbox.preferences import Choices
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues.delayed import Priority

#: A push that came later would tell of what is over; a notification waits on the site.
LIFETIME = timedelta(hours=4)
#: Who looks at the thing has seen its news by then.
NEWS_DELAY = timedelta(seconds=10)


def post(notices: Sequence[Notice], chosen: Mapping[int, Choices]) -> None:
    """Post these notices to the browsers of their recipients, in the caller's transaction; one query more.

    Kinds that a person has switched off don't get here.
    """
    wanted = [notice for notice in notices if notice.kind in PUSH_KINDS]
    if settings.VAPID_KEY is None or not wanted:
        return
    people = {notice.recipient_id for notice in wanted}
    live = PushSubscription.objects.live().filter(login__user__in=people)
    browsers = list(live.values_list("login__user", "pk"))
    messages = [
        _build_message(notice, number, chosen[user_id])
        for notice, (user_id, number) in product(wanted, browsers)
        if notice.recipient_id == user_id
    ]
    outbox.post_many(message for message in messages if not _is_useless(message))


def post_news(kind: Kind, target_kind: str, target_id: int, seen: Mapping[int, int]) -> None:
    """Post that a thing has news, without a notification: what `seen` people can count for themselves.

    `seen` is {user id: up to which number the person has seen it}: until that changes, a browser gets one
    push. It waits for NEWS_DELAY, and is not sent if the target is gone from the person's TARGETS by then.
    People who switched the kind off get none. In a transaction; three queries.
    """
    if settings.VAPID_KEY is None or not seen:
        return
    chosen = preferences.load(seen)
    people = [user_id for user_id in seen if chosen[user_id].delivery(kind) != Delivery.OFF]
    live = PushSubscription.objects.live().filter(login__user__in=people)
    now = timezone.now()
    messages = []
    for user_id, number in live.values_list("login__user", "pk"):
        after = chosen[user_id].end_of_quiet_hours(now) or now + NEWS_DELAY
        message = OutgoingMessage(
            channel=Channel.PUSH,
            to=str(number),
            text=json.dumps([user_id, "", target_kind, target_id]),
            key=f"push:{number}:{target_kind}:{target_id}:{seen[user_id]}",
            after=after,
            until=after + LIFETIME,
        )
        messages.append(message)
    outbox.post_many(messages)


def _build_message(notice: Notice, number: int, choices: Choices) -> OutgoingMessage:
    now = timezone.now()
    after = choices.end_of_quiet_hours(now)
    about = [notice.recipient_id, notice.kind, notice.target_kind, notice.target_id]
    # A reminder is of no use later than its text message.
    until = notice.sms.until if notice.sms else None
    return OutgoingMessage(
        channel=Channel.PUSH,
        to=str(number),
        text=json.dumps(about),
        key=f"push:{number}:{':'.join(map(str, about[1:]))}:{now:%Y%m%dT%H%M%S%f}",
        priority=notice.sms.priority if notice.sms else Priority.NORMAL,
        after=after,
        until=until or (after or now) + LIFETIME,
    )


def _is_useless(message: OutgoingMessage) -> bool:
    """Whether it could be sent only after the time that it is worth sending until."""
    return bool(message.after and message.until and message.until < message.after)
